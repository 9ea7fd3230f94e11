/** YAML and JSON files read with places, so that every complaint can point at its line. */
@NullMarked
package org.reprobe.analysis.document;

import org.jspecify.annotations.NullMarked;
