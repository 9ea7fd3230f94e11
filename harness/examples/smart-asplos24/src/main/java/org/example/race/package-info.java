/**
 * RACE hashing (Pengfei Zuo, Jiazhao Sun, Liu Yang, Shuangwu Zhang, Yu Hua: One-sided RDMA-Conscious Extendible Hashing for
 * Disaggregated Memory, USENIX ATC 2021) as a system outside of Reprobe: an example for authors of systems.
 */
@NullMarked
package org.example.race;

import org.jspecify.annotations.NullMarked;
