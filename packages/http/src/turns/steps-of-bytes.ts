/** The steps that bodies take of a turn. Hashing and passing on bytes takes less time than parsing text. */

/** Received bytes are copied, hashed and written. */
export const stepsOfReceived = (bytes: number): number => bytes

/** Sent bytes are read, checked and copied. */
export const stepsOfSent = (bytes: number): number => bytes / 3

/** A document of ordinary length is parsed and checked in one go. A longer one counts its further steps itself. */
export const stepsOfDocument = (bytes: number): number => Math.min(bytes, 64 * 1024) * 6
