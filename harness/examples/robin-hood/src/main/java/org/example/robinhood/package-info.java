/** Robin Hood linear probing as a system outside of Reprobe: an example for authors of systems. */
@NullMarked
package org.example.robinhood;

import org.jspecify.annotations.NullMarked;
