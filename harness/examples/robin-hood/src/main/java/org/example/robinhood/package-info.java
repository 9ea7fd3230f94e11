/** Robin Hood linear probing as a system for Reprobe: an example of one that somebody else brings. */
@NullMarked
package org.example.robinhood;

import org.jspecify.annotations.NullMarked;
