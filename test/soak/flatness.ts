/**
 * Whether a figure grows. A server that is killed starts anew, so its figures are compared within each of its lives
 * alone: one slope for all, and for each life its own level.
 */

export interface Point {
  /** Which process it was measured on. */
  readonly life: number
  /** Seconds since that process began. */
  readonly age: number
  readonly value: number
}

/** Change of the figure a minute, by least squares; points of a life younger than `warmUp` seconds do not count. */
export function slopePerMinute(points: readonly Point[], warmUp: number): number {
  let above = 0
  let below = 0
  for (const life of livesOf(points).values()) {
    const settled = life.filter(({ age }) => age >= warmUp)
    const [meanAge, mean] = [average(settled.map(({ age }) => age)), average(settled.map(({ value }) => value))]
    for (const { age, value } of settled) {
      above += (age - meanAge) * (value - mean)
      below += (age - meanAge) ** 2
    }
  }
  return below === 0 ? 0 : (above / below) * 60
}

function livesOf(points: readonly Point[]): Map<number, Point[]> {
  const lives = new Map<number, Point[]>()
  for (const point of points) lives.set(point.life, [...(lives.get(point.life) ?? []), point])
  return lives
}

const average = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0) / values.length

export interface Summary {
  readonly least: number
  readonly median: number
  readonly most: number
  readonly slope: number
}

export function summaryOf(points: readonly Point[], warmUp: number): Summary {
  const values = points.map(({ value }) => value).sort((a, b) => a - b)
  const at = (share: number) => values[Math.floor(share * (values.length - 1))] ?? Number.NaN
  return { least: at(0), median: at(0.5), most: at(1), slope: slopePerMinute(points, warmUp) }
}
