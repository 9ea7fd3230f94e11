/** Command that writes a user's project folder. */
@NullMarked
package org.reprobe.cli.project;

import org.jspecify.annotations.NullMarked;
