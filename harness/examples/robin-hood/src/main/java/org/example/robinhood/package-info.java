/** Robin Hood linear probing: an example of an external system for Reprobe. */
@NullMarked
package org.example.robinhood;

import org.jspecify.annotations.NullMarked;
