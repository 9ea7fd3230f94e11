/** {@code report}: results as tables, figures and pages. */
@NullMarked
package org.reprobe.cli.report;

import org.jspecify.annotations.NullMarked;
