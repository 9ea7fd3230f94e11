/**
 * RACE hashing (Pengfei Zuo, Jiazhao Sun, Liu Yang, Shuangwu Zhang, Yu Hua: One-sided RDMA-Conscious Extendible Hashing for
 * Disaggregated Memory, USENIX ATC 2021) as a system for Reprobe: an example of one that somebody else brings.
 */
@NullMarked
package org.example.race;

import org.jspecify.annotations.NullMarked;
