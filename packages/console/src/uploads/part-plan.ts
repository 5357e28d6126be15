/** How a file is cut into parts, also when another program cut it. */

const mebibyte = 1024 ** 2
const partsMax = 10_000
/** The server refuses smaller parts, except for the last one. */
const partMin = 5 * mebibyte

/** A file of up to this size is sent in one request. */
export const wholeMax = 16 * mebibyte
/** The largest object of S3. */
export const fileMax = 5 * 1024 ** 4

export interface Part {
  readonly partNumber: number
  readonly start: number
  readonly end: number
}

interface ListedPart {
  readonly partNumber: number
  readonly size: number
}

/** Parts of 8 MiB, or larger ones if the file would have more than 10,000 of these. */
export const partSizeOf = (fileSize: number): number =>
  Math.max(8 * mebibyte, Math.ceil(fileSize / partsMax / mebibyte) * mebibyte)

export function partsOf(fileSize: number, partSize: number): readonly Part[] {
  return after({ partNumber: 0, end: 0 }, fileSize, partSize)
}

/** The rest of a file in parts of one size. A file without bytes has one part. */
function after(
  { partNumber: last, end: offset }: Pick<Part, 'partNumber' | 'end'>,
  fileSize: number,
  partSize: number,
): readonly Part[] {
  const count = Math.max(last === 0 ? 1 : 0, Math.ceil((fileSize - offset) / partSize))
  return Array.from({ length: count }, (_, index) => ({
    partNumber: last + index + 1,
    start: offset + index * partSize,
    end: Math.min(fileSize, offset + (index + 1) * partSize),
  }))
}

export interface PartLayout<P extends ListedPart = ListedPart> {
  /** Parts that arrived, with their places in the file. The others have no known place, and are sent again. */
  readonly placed: readonly (readonly [part: P, place: Part])[]
  /** All parts of the file. */
  readonly planned: readonly Part[]
  /** A part that no file of this size has. */
  readonly misfit: number | undefined
}

/**
 * Where the parts that arrived are in a file. Those from the first one on, without a gap, follow each other, whatever their
 * sizes. Behind a gap, all parts are taken to have one size.
 */
export function layoutOf<P extends ListedPart>(listed: readonly P[], fileSize: number): PartLayout<P> {
  const sorted = listed.toSorted((a, b) => a.partNumber - b.partNumber)
  const first = placesFromStart(sorted)
  const last = first.at(-1)?.[1] ?? { partNumber: 0, end: 0 }
  const behind = sorted.slice(first.length)
  const size = sizeBehind(sorted, fileSize - last.end, partsMax - last.partNumber)
  const places = new Map(after(last, fileSize, size).map((place) => [place.partNumber, place]))
  const second = behind.flatMap((part) => {
    const place = places.get(part.partNumber)
    return place?.end === (place?.start ?? 0) + part.size ? [[part, place as Part] as const] : []
  })
  const isPlaced = new Set(second.map(([{ partNumber }]) => partNumber))
  const misfit = [
    ...first.filter(([, { end }]) => end > fileSize).map(([part]) => part),
    ...behind.filter(({ partNumber }) => !isPlaced.has(partNumber)),
  ][0]
  return { placed: [...first, ...second], planned: planOf(first, fileSize, size), misfit: misfit?.partNumber }
}

/** Whether the last part is smaller than all before it, which have one size, and the file goes on behind it. */
export function seemsShorter(placed: PartLayout['placed'], fileSize: number): boolean {
  const last = placed.at(-1)?.[1]
  const [size, ...others] = new Set(placed.slice(0, -1).map(([part]) => part.size))
  return (
    last !== undefined &&
    size !== undefined &&
    others.length === 0 &&
    last.end - last.start < size &&
    last.end < fileSize
  )
}

function placesFromStart<P extends ListedPart>(sorted: readonly P[]): readonly (readonly [P, Part])[] {
  const places: (readonly [P, Part])[] = []
  let start = 0
  for (const [index, part] of sorted.entries()) {
    const { partNumber, size } = part
    if (partNumber !== index + 1) break
    places.push([part, { partNumber, start, end: start + size }])
    start += size
  }
  return places
}

/** The size that parts have, seen from those that arrived: the last part of a file may be smaller. */
function sizeBehind(sorted: readonly ListedPart[], bytes: number, count: number): number {
  const seen = sorted.reduce((size, part) => Math.max(size, part.size), 0)
  if (seen >= partMin && bytes / seen <= count) return seen
  return Math.max(8 * mebibyte, Math.ceil(bytes / Math.max(1, count) / mebibyte) * mebibyte)
}

/** A part that is too small to be followed by others is cut anew, and so are all behind it. */
function planOf(first: readonly (readonly [ListedPart, Part])[], fileSize: number, size: number): readonly Part[] {
  const places = first.map(([, place]) => place)
  const tooSmall = places.findIndex(({ start, end }) => end - start < partMin && end < fileSize)
  const kept = tooSmall === -1 ? places : places.slice(0, tooSmall)
  const last = kept.at(-1) ?? { partNumber: 0, end: 0 }
  return [...kept, ...after(last, fileSize, size)]
}
