package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;

/** {@code struct ibv_sge} in native memory. */
record ScatterGatherEntry(long at) implements SVCPostSend.SgeMod {

    static void write(long at, IbvSge buffer) {
        write(at, buffer.getAddr(), buffer.getLength(), buffer.getLkey());
    }

    static void write(long at, long address, int bytes, int key) {
        RdmaCore.putLong(at + StructLayout.Sge.ADDRESS, address);
        RdmaCore.putInt(at + StructLayout.Sge.LENGTH, bytes);
        RdmaCore.putInt(at + StructLayout.Sge.KEY, key);
    }

    @Override
    public void setAddr(long address) {
        RdmaCore.putLong(at + StructLayout.Sge.ADDRESS, address);
    }

    @Override
    public long getAddr() {
        return RdmaCore.getLong(at + StructLayout.Sge.ADDRESS);
    }

    @Override
    public void setLength(int bytes) {
        RdmaCore.putInt(at + StructLayout.Sge.LENGTH, bytes);
    }

    @Override
    public int getLength() {
        return RdmaCore.getInt(at + StructLayout.Sge.LENGTH);
    }

    @Override
    public void setLkey(int key) {
        RdmaCore.putInt(at + StructLayout.Sge.KEY, key);
    }

    @Override
    public int getLkey() {
        return RdmaCore.getInt(at + StructLayout.Sge.KEY);
    }
}
