package org.reprobe.analysis.nic;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Host or slot that a card can be combined with, from {@code host-NAME.yaml} or {@code slot-NAME.yaml}. */
@Section(meaning = """
        A host or a slot: scenarios/nics/host-NAME.yaml or slot-NAME.yaml. nic: CARD+host-NAME+slot-NAME takes the sections stated
        there instead of the card's own.""")
public record NicPart(
        @Key(meaning = "Name in figures and reports, behind the card's.")
        String title,

        @Key(optional = true, meaning = "The client's CPU work.")
        NicProfile.@Nullable Client client,

        @Key(optional = true, meaning = "The host's slot.") NicProfile.@Nullable Slot slot,

        Map<String, NicProfile.Provenance> provenance) {

    /** Returns a profile with the constants stated here. */
    NicProfile in(NicProfile nic, String name) {
        Map<String, NicProfile.Provenance> all = new HashMap<>(nic.provenance());
        all.putAll(provenance);
        return new NicProfile(
                nic.name() + "+" + name,
                nic.title() + ", " + title,
                nic.responder(),
                nic.link(),
                nic.requester(),
                nic.limits(),
                client == null ? nic.client() : client,
                nic.model(),
                nic.contention(),
                nic.transactions(),
                nic.cluster(),
                nic.setUp(),
                nic.card(),
                slot == null ? nic.slot() : slot,
                nic.transfer(),
                nic.retransmission(),
                all);
    }
}
