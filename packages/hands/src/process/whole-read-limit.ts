/** Maximum size in bytes of a file that a program reads whole. The references of the largest public repositories have some 50 MB. */
export const MAX_WHOLE_BYTES = 128 * 1024 * 1024;
