package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.verbs.Connections;

/** Messages about the connection manager's events. A test in the virtual machine checks that such events occur. */
@SuppressWarnings("EnumOrdinal") // DiSNI numbers its enums as the library does
class CmTest {
    @ParameterizedTest
    @CsvSource({
        "RDMA_CM_EVENT_ADDR_ERROR, -110, ETIMEDOUT, ip route get",
        "RDMA_CM_EVENT_ROUTE_ERROR, -22, EINVAL, subnet manager",
        "RDMA_CM_EVENT_UNREACHABLE, -110, ETIMEDOUT, UDP port 4791",
        "RDMA_CM_EVENT_CONNECT_ERROR, -22, EINVAL, depths",
        "RDMA_CM_EVENT_REJECTED, 8, no server listens at this port, printed last",
        "RDMA_CM_EVENT_REJECTED, 28, the program at this port refuses, printed last",
        "RDMA_CM_EVENT_REJECTED, -111, no server listens, or it refuses",
        "RDMA_CM_EVENT_REJECTED, 5, reason 5, ib_cm_rej_reason",
        "RDMA_CM_EVENT_DISCONNECTED, 0, the other side, its process died",
        "RDMA_CM_EVENT_DEVICE_REMOVAL, 0, device, removed",
    })
    void anEventIsReportedByItsVerbsNameErrorAndHint(EventType kind, int status, String error, String hint) {
        assertThat(Cm.text(kind.ordinal(), status, new byte[56]))
                .startsWith(kind.name())
                .contains(error)
                .contains(hint);
    }

    @Test
    void anEventOfALaterLibraryIsReportedByItsNumber() {
        assertThat(Cm.text(99, 0, new byte[0])).isEqualTo("event 99");
    }

    @Test
    void aRejectionCarriesTheServersReason() {
        byte[] sent = new ConnectionRefusal("no room").toBytes();
        byte[] arrived = Arrays.copyOf(sent, Connections.MAX_REJECT_BYTES); // with zeros behind it

        assertThat(Cm.text(EventType.RDMA_CM_EVENT_REJECTED.ordinal(), 28, arrived))
                .isEqualTo("RDMA_CM_EVENT_REJECTED: the server refuses: no room");
    }

    @Test
    void aReasonThatIsTooLongIsCutOff() {
        byte[] sent = new ConnectionRefusal("x".repeat(500)).toBytes();

        assertThat(sent).hasSize(Connections.MAX_REJECT_BYTES);
        assertThat(ConnectionRefusal.parse(sent))
                .isNotNull()
                .satisfies(
                        refusal -> assertThat(refusal.why()).isEqualTo("x".repeat(Connections.MAX_REJECT_BYTES - 5)));
    }
}
