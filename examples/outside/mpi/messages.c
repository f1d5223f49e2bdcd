/* SPDX-License-Identifier: Apache-2.0 */
/* Messages by rank and tag over QMP's messages by rank alone. Each is two of QMP's: a header, with tag and length, and
 * the bytes. A rank always has a receive for the next header of each rank it deals with; bytes whose receive has not been
 * started yet are kept. So a send never waits for its own receive to be started, as MPI's programs expect. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* The tag of the last header of all. */
#define END_OF_MESSAGES (-1)

typedef struct {
  int64_t tag, bytes;
} Header;

/* One of QMP's messages. */
typedef struct {
  QMP_msgmem_t memory;
  QMP_msghandle_t handle;
} Message;

struct MpiRequest {
  int send, persistent, active, done;
  int peer, tag;
  unsigned char *buffer;
  size_t bytes;
  Header header;        /* of a send */
  Message head, body;   /* of a send */
  MPI_Request next;     /* of the peer's started receives */
};

/* Bytes that came before their receive was started. */
typedef struct Early {
  int tag;
  size_t bytes;
  unsigned char *data;
  struct Early *next;
} Early;

typedef struct {
  int open, ended;
  Header header;
  Message head, body;
  int receiving;           /* the bytes of `header` */
  MPI_Request destination; /* whose they are, or null: `early` is */
  Early *early;
  MPI_Request receives; /* started, oldest first */
  Early *arrived;       /* oldest first */
} Peer;

static Peer *peers;
static int ranks, self;

static Message declare(int send, int peer, void *bytes, size_t count) {
  Message m;
  m.memory = QMP_declare_msgmem(bytes, count);
  m.handle = send ? QMP_declare_send_to(m.memory, peer, 0) : QMP_declare_receive_from(m.memory, peer, 0);
  if (m.handle == NULL) mpi_fail("a message", QMP_error_string(QMP_get_error_number(NULL)));
  return m;
}

static void forget(Message *m) {
  if (m->handle != NULL) QMP_free_msghandle(m->handle);
  if (m->memory != NULL) QMP_free_msgmem(m->memory);
  m->handle = NULL;
  m->memory = NULL;
}

/* From now on the rank takes what comes from there. */
static Peer *open_peer(int rank) {
  Peer *peer;
  if (rank < 0 || rank >= ranks) mpi_fail("a message", "no such rank");
  peer = &peers[rank];
  if (!peer->open && rank != self) {
    peer->head = declare(0, rank, &peer->header, sizeof peer->header);
    QMP_start(peer->head.handle);
  }
  peer->open = 1;
  return peer;
}

static void *allocate(size_t bytes) {
  void *memory = calloc(1, bytes > 0 ? bytes : 1);
  if (memory == NULL) mpi_fail("a message", "no memory");
  return memory;
}

static void complete(MPI_Request receive, size_t bytes) {
  if (bytes > receive->bytes) mpi_fail("MPI_Recv", "the message is longer than its receive");
  receive->done = 1;
}

/* Takes the oldest started receive with the tag out of the list. */
static MPI_Request take_receive(Peer *peer, int tag) {
  MPI_Request *at = &peer->receives, found;
  while (*at != NULL && (*at)->tag != tag) at = &(*at)->next;
  found = *at;
  if (found != NULL) *at = found->next;
  return found;
}

static Early *keep(Peer *peer, int tag, size_t bytes) {
  Early **at = &peer->arrived;
  Early *early = allocate(sizeof *early);
  early->tag = tag;
  early->bytes = bytes;
  early->data = allocate(bytes);
  while (*at != NULL) at = &(*at)->next;
  *at = early;
  return early;
}

/* A header is there: where its bytes go. */
static void receive_body(Peer *peer, int rank) {
  const size_t bytes = (size_t)peer->header.bytes;
  void *memory;
  peer->destination = take_receive(peer, (int)peer->header.tag);
  if (peer->destination != NULL) {
    if (bytes > peer->destination->bytes) mpi_fail("MPI_Recv", "the message is longer than its receive");
    memory = peer->destination->buffer;
  } else {
    /* In the list when the bytes are there, so that none overtakes another. */
    peer->early = allocate(sizeof *peer->early);
    peer->early->tag = (int)peer->header.tag;
    peer->early->bytes = bytes;
    memory = peer->early->data = allocate(bytes);
  }
  peer->receiving = 1;
  if (bytes > 0) {
    peer->body = declare(0, rank, memory, bytes);
    QMP_start(peer->body.handle);
  }
}

static void finish_body(Peer *peer) {
  forget(&peer->body);
  peer->receiving = 0;
  if (peer->destination != NULL) {
    complete(peer->destination, (size_t)peer->header.bytes);
  } else {
    /* Its receive may have been started meanwhile. */
    MPI_Request receive = take_receive(peer, peer->early->tag);
    if (receive != NULL) {
      complete(receive, peer->early->bytes);
      memcpy(receive->buffer, peer->early->data, peer->early->bytes);
      free(peer->early->data);
      free(peer->early);
    } else {
      Early **at = &peer->arrived;
      while (*at != NULL) at = &(*at)->next;
      *at = peer->early;
    }
  }
  QMP_start(peer->head.handle);
}

/* Looks at every peer once. */
static void progress(void) {
  int rank;
  for (rank = 0; rank < ranks; ++rank) {
    Peer *peer = &peers[rank];
    if (!peer->open || peer->ended || rank == self) continue;
    if (!peer->receiving && QMP_is_complete(peer->head.handle)) {
      if (peer->header.tag == END_OF_MESSAGES)
        peer->ended = 1;
      else
        receive_body(peer, rank);
    }
    if (peer->receiving && (peer->header.bytes == 0 || QMP_is_complete(peer->body.handle))) finish_body(peer);
  }
}

static int is_done(MPI_Request r) {
  if (!r->done && r->send && QMP_is_complete(r->head.handle) && (r->bytes == 0 || QMP_is_complete(r->body.handle)))
    r->done = 1;
  return r->done;
}

static MPI_Request make(int send, const void *buffer, int count, MPI_Datatype type, int peer, int tag) {
  MPI_Request r = allocate(sizeof *r);
  r->send = send;
  r->peer = peer;
  r->tag = tag;
  r->buffer = (unsigned char *)(uintptr_t)buffer;
  r->bytes = mpi_bytes(count, type);
  open_peer(peer);
  if (send && peer != self) {
    r->header.tag = tag;
    r->header.bytes = (int64_t)r->bytes;
    r->head = declare(1, peer, &r->header, sizeof r->header);
    if (r->bytes > 0) r->body = declare(1, peer, r->buffer, r->bytes);
  }
  return r;
}

static void start_receive(MPI_Request r) {
  Peer *peer = &peers[r->peer];
  Early **at = &peer->arrived;
  while (*at != NULL && (*at)->tag != r->tag) at = &(*at)->next;
  if (*at != NULL) {
    Early *early = *at;
    *at = early->next;
    complete(r, early->bytes);
    memcpy(r->buffer, early->data, early->bytes);
    free(early->data);
    free(early);
  } else {
    MPI_Request *end = &peer->receives;
    while (*end != NULL) end = &(*end)->next;
    r->next = NULL;
    *end = r;
  }
}

static void start_send(MPI_Request r) {
  if (r->peer == self) {
    MPI_Request receive = take_receive(&peers[self], r->tag);
    unsigned char *to = receive != NULL ? receive->buffer : keep(&peers[self], r->tag, r->bytes)->data;
    if (receive != NULL) complete(receive, r->bytes);
    memcpy(to, r->buffer, r->bytes);
    r->done = 1;
    return;
  }
  QMP_start(r->head.handle);
  if (r->bytes > 0) QMP_start(r->body.handle);
}

int MPI_Start(MPI_Request *request) {
  MPI_Request r = *request;
  if (r->active) mpi_fail("MPI_Start", "the request is active");
  r->active = 1;
  r->done = 0;
  if (r->send)
    start_send(r);
  else
    start_receive(r);
  return MPI_SUCCESS;
}

int MPI_Startall(int count, MPI_Request requests[]) {
  int i;
  for (i = 0; i < count; ++i) MPI_Start(&requests[i]);
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  MPI_Request r = *request;
  if (r == MPI_REQUEST_NULL || !r->active) return MPI_SUCCESS;
  while (!is_done(r)) progress();
  r->active = 0;
  if (status != MPI_STATUS_IGNORE) {
    status->MPI_SOURCE = r->peer;
    status->MPI_TAG = r->tag;
    status->MPI_ERROR = MPI_SUCCESS;
  }
  return r->persistent ? MPI_SUCCESS : MPI_Request_free(request);
}

/* Of a request that is not active. */
int MPI_Request_free(MPI_Request *request) {
  MPI_Request r = *request;
  if (r == MPI_REQUEST_NULL || r->active) mpi_fail("MPI_Request_free", "there is no request, or it is active");
  forget(&r->head);
  forget(&r->body);
  free(r);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int i;
  for (i = 0; i < count; ++i) MPI_Wait(&requests[i], statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i]);
  return MPI_SUCCESS;
}

/* Of a receive whose message has not begun to arrive: others are left alone. */
int MPI_Cancel(MPI_Request *request) {
  MPI_Request r = *request;
  MPI_Request *at = &peers[r->peer].receives;
  while (*at != NULL && *at != r) at = &(*at)->next;
  if (*at == r) *at = r->next;
  r->done = 1;
  return MPI_SUCCESS;
}

int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request *request) {
  (void)comm;
  *request = make(1, buffer, count, type, peer, tag);
  (*request)->persistent = 1;
  return MPI_SUCCESS;
}

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
  (void)comm;
  *request = make(0, buffer, count, type, peer, tag);
  (*request)->persistent = 1;
  return MPI_SUCCESS;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
  (void)comm;
  *request = make(1, buffer, count, type, peer, tag);
  return MPI_Start(request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
  (void)comm;
  *request = make(0, buffer, count, type, peer, tag);
  return MPI_Start(request);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  MPI_Request request;
  MPI_Isend(buffer, count, type, peer, tag, comm, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Request request;
  MPI_Irecv(buffer, count, type, peer, tag, comm, &request);
  return MPI_Wait(&request, status);
}

int MPI_Sendrecv(const void *sent, int send_count, MPI_Datatype send_type, int to, int send_tag, void *received,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status) {
  MPI_Request receive, send;
  MPI_Irecv(received, receive_count, receive_type, from, receive_tag, comm, &receive);
  MPI_Isend(sent, send_count, send_type, to, send_tag, comm, &send);
  MPI_Wait(&receive, status);
  return MPI_Wait(&send, MPI_STATUS_IGNORE);
}

void mpi_open_messages(void) {
  ranks = QMP_get_number_of_nodes();
  self = QMP_get_node_number();
  peers = allocate((size_t)ranks * sizeof *peers);
}

static int matrix_bytes;

static void unite(void *inout, void *in) {
  unsigned char *a = inout, *b = in;
  int i;
  for (i = 0; i < matrix_bytes; ++i) a[i] |= b[i];
}

/* No message may be under way when QMP ends: each rank says to those it dealt with that there will be no more. */
void mpi_close_messages(void) {
  unsigned char *deals;
  int rank;
  matrix_bytes = (ranks * ranks + 7) / 8 * 8;
  deals = allocate((size_t)matrix_bytes);
  for (rank = 0; rank < ranks; ++rank) deals[self * ranks + rank] = (unsigned char)peers[rank].open;
  QMP_binary_reduction(deals, (size_t)matrix_bytes, unite);
  for (rank = 0; rank < ranks; ++rank) {
    if (rank == self || !(deals[self * ranks + rank] || deals[rank * ranks + self])) continue;
    open_peer(rank);
  }
  for (rank = 0; rank < ranks; ++rank) {
    Header end = {END_OF_MESSAGES, 0};
    Message last;
    if (rank == self || !peers[rank].open) continue;
    last = declare(1, rank, &end, sizeof end);
    QMP_start(last.handle);
    while (!QMP_is_complete(last.handle)) progress();
    forget(&last);
  }
  for (rank = 0; rank < ranks; ++rank) {
    if (rank == self || !peers[rank].open) continue;
    while (!peers[rank].ended) progress();
    forget(&peers[rank].head);
  }
  free(deals);
  free(peers);
}
