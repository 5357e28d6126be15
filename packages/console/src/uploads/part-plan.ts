/** How a file is cut into parts. */

const mebibyte = 1024 ** 2
const partsMax = 10_000

/** A file of up to this size is sent in one request. */
export const wholeMax = 16 * mebibyte
/** The largest object of S3. */
export const fileMax = 5 * 1024 ** 4

export interface Part {
  readonly partNumber: number
  readonly start: number
  readonly end: number
}

/** Parts of 8 MiB, or larger ones if the file would have more than 10,000 of these. */
export const partSizeOf = (fileSize: number): number =>
  Math.max(8 * mebibyte, Math.ceil(fileSize / partsMax / mebibyte) * mebibyte)

export function partsOf(fileSize: number, partSize: number): readonly Part[] {
  return Array.from({ length: Math.max(1, Math.ceil(fileSize / partSize)) }, (_, index) => ({
    partNumber: index + 1,
    start: index * partSize,
    end: Math.min(fileSize, (index + 1) * partSize),
  }))
}
