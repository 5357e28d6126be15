/** Divides a rectangle into one for each size, as square as it goes (Bruls, Huizing and van Wijk: squarified treemaps). */

export interface Tile {
  /** The place of the size in the list. */
  readonly index: number
  /** In parts of the whole, from 0 to 1. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Sized {
  readonly index: number
  readonly area: number
}

/** The largest first. Sizes of 0 get no tile. @param aspect Width by height of the whole, as it is shown. */
export function treemap(sizes: readonly number[], aspect: number): readonly Tile[] {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= 0) return []
  const wanted = sizes
    .map((size, index): Sized => ({ index, area: (size / total) * aspect }))
    .filter(({ area }) => area > 0)
    .sort((a, b) => b.area - a.area)
  const tiles: Tile[] = []
  let free: Area = { x: 0, y: 0, width: aspect, height: 1 }
  for (let at = 0; at < wanted.length; ) {
    const row = rowFrom(wanted, at, Math.min(free.width, free.height))
    free = placeRow(row, free, tiles)
    at += row.length
  }
  return tiles.map((tile) => ({ ...tile, x: tile.x / aspect, width: tile.width / aspect }))
}

/** As many of the next tiles as make the worst of them no longer. */
function rowFrom(wanted: readonly Sized[], from: number, side: number): readonly Sized[] {
  let count = 1
  while (from + count < wanted.length) {
    const longer = wanted.slice(from, from + count + 1)
    if (worst(longer, side) > worst(longer.slice(0, -1), side)) break
    count++
  }
  return wanted.slice(from, from + count)
}

const sumOf = (row: readonly Sized[]): number => row.reduce((sum, { area }) => sum + area, 0)

function worst(row: readonly Sized[], side: number): number {
  const thickness = sumOf(row) / side
  return Math.max(...row.map(({ area }) => Math.max(thickness ** 2 / area, area / thickness ** 2)))
}

/** Puts a row along the shorter side, and returns what is left. */
function placeRow(row: readonly Sized[], { x, y, width, height }: Area, tiles: Tile[]): Area {
  const isTall = width >= height
  const thickness = sumOf(row) / (isTall ? height : width)
  let along = isTall ? y : x
  for (const { index, area } of row) {
    const length = area / thickness
    tiles.push(
      isTall
        ? { index, x, y: along, width: thickness, height: length }
        : { index, x: along, y, width: length, height: thickness },
    )
    along += length
  }
  return isTall
    ? { x: x + thickness, y, width: Math.max(0, width - thickness), height }
    : { x, y: y + thickness, width, height: Math.max(0, height - thickness) }
}
