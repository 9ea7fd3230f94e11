/**
 * RACE hashing (Pengfei Zuo, Jiazhao Sun, Liu Yang, Shuangwu Zhang, Yu Hua: One-sided RDMA-Conscious Extendible Hashing
 * for Disaggregated Memory, USENIX ATC 2021): an example of an external system for Reprobe.
 */
@NullMarked
package org.example.race;

import org.jspecify.annotations.NullMarked;
