// SPDX-License-Identifier: Apache-2.0
// For modules with a parameter LINKS: which of a node's ten links are there.

    // How many there are with numbers below `number`.
    function integer links_below;
        input integer number;
        integer       i;
        begin
            links_below = 0;
            for (i = 0; i < number; i = i + 1)
                links_below = links_below + {31'd0, LINKS[i]};
        end
    endfunction
    // Number of the one that has so many below it.
    function integer link_of;
        input integer below;
        integer       i;
        begin
            link_of = 0;
            for (i = 0; i < 10; i = i + 1)
                if (LINKS[i] && links_below(i) == below)
                    link_of = i;
        end
    endfunction
