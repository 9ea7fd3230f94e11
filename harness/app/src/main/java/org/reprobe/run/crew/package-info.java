/**
 * The processes of a run on a real fabric: one server, some client processes, and this one, which starts them, meets them at
 * barriers, takes their counts and ends them. They talk in lines of JSON over sockets.
 */
@NullMarked
package org.reprobe.run.crew;

import org.jspecify.annotations.NullMarked;
