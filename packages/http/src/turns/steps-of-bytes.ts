/** What bodies on their way take of a turn: bytes are hashed and handed on in less time than text is looked at. */

/** What comes in is copied, hashed and written. */
export const stepsOfReceived = (bytes: number): number => bytes

/** What goes out is read, checked and copied. */
export const stepsOfSent = (bytes: number): number => bytes / 3

/** A document of ordinary length is parsed and checked in one go; what goes beyond that spends by itself. */
export const stepsOfDocument = (bytes: number): number => Math.min(bytes, 64 * 1024) * 6
