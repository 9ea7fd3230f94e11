package org.reprobe.farm;

import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;

/** One of FaRM's schemes: the settings that it reads and checks, and its deployment. */
sealed interface FarmScheme permits LookupsByReads, LookupsByMessages, TransactionsScheme, TaoScheme {
    Scheme scheme();

    Set<String> reads();

    void check(CellCheck cell);

    Deployment deployment(Settings settings, NicProfile nic, int repeat);
}
