/**
 * Format of a data directory: of its log and journal, and of the records that servers keep in it. A release that changes one of
 * them raises the number, reads all lower ones, and keeps a directory of each as a fixture (`tests/data-format.test.ts`).
 */
export const FORMAT = 1;
