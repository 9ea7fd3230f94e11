/** YAML and JSON files with the places of their content, so that every message has a line. */
@NullMarked
package org.reprobe.analysis.document;

import org.jspecify.annotations.NullMarked;
