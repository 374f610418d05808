/** llistxattr, lremovexattr, lgetxattr, utimensat, lsetxattr, mknodat by architecture (asm/unistd.h), because Node has none of them. */
export const ATTRIBUTE_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [195, 198, 192, 280, 189, 259],
  arm64: [12, 15, 9, 88, 6, 33],
};
