import type { Outcome } from './range.ts'

const shown = 10

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

const mib = 2 ** 20

export function lineOf({ name, probe, loop, memory, baseline, statuses }: Outcome): string {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`)
  const { anonymous, heap, heapUsed, external } = loop.memory
  const rest = anonymous - heap - external
  return [
    `${ms(probe.longestServed, 6)} ms served, ${ms(probe.longest)} by the clock, baseline ${ms(baseline.longestServed)} and ${ms(baseline.longest)}`,
    `${memory.toFixed(0).padStart(5)} MiB (at ${inMib(anonymous)}: heap ${inMib(heap)}, used ${inMib(heapUsed)}, external ${inMib(external)}, rest ${inMib(rest)})`,
    `work ${ms(loop.work)}, without collector ${ms(loop.ownWork)}, loop p99.9 ${ms(loop.p999)}, longest ${ms(loop.longest)}, collector ${ms(loop.collection)}, starved ${ms(loop.starved)} ms`,
    name,
    answers.length === 0 ? 'no answer read' : answers.join(', '),
  ].join(' | ')
}

const ms = (value: number, width = 0): string => value.toFixed(0).padStart(width)
const inMib = (bytes: number): string => (bytes / mib).toFixed(0)

interface Figure {
  readonly name: string
  readonly unit: 'ms' | 'MiB'
  readonly of: (outcome: Outcome) => number
  /** More than this is a finding: the bounds of ADR 21. */
  readonly bound?: number
  readonly showsWorst?: boolean
}

const figures: readonly Figure[] = [
  {
    name: 'stall of the other client without time that had no processor',
    unit: 'ms',
    of: ({ probe }) => probe.longestServed,
    bound: 100,
    showsWorst: true,
  },
  { name: 'stall of the other client by the clock', unit: 'ms', of: ({ probe }) => probe.longest, bound: 100 },
  { name: 'the same in the minute before without an attack', unit: 'ms', of: ({ baseline }) => baseline.longest },
  {
    name: 'work in one go, without the garbage collector',
    unit: 'ms',
    of: ({ loop }) => loop.ownWork,
    bound: 100,
    showsWorst: true,
  },
  { name: 'work in one go', unit: 'ms', of: ({ loop }) => loop.work, bound: 100 },
  { name: 'pause of the garbage collector', unit: 'ms', of: ({ loop }) => loop.collection },
  { name: 'event loop not looked at', unit: 'ms', of: ({ loop }) => loop.longest },
  { name: 'time in which the server had no processor', unit: 'ms', of: ({ loop }) => loop.starved },
  { name: 'memory over idle', unit: 'MiB', of: ({ memory }) => memory, bound: 200, showsWorst: true },
]

/** Lines about all outcomes: each figure, then the worst ten by the figures that decide. */
export const report = (title: string, outcomes: readonly Outcome[]): readonly string[] => [
  ...summary(title, outcomes),
  ...figures.filter(({ showsWorst }) => showsWorst).flatMap((figure) => worst(figure, outcomes)),
]

/** The figures alone. */
export function summary(title: string, outcomes: readonly Outcome[]): readonly string[] {
  if (outcomes.length === 0) return []
  const failed = outcomes.reduce((sum, { probe }) => sum + Object.values(probe.failures).reduce((a, b) => a + b, 0), 0)
  return [
    `${title}: ${outcomes.length}`,
    ...figures.map((figure) => `  ${figure.name}: ${spread(figure, outcomes)}`),
    `  requests of the other client that failed: ${failed}`,
  ]
}

function spread({ of, unit, bound }: Figure, outcomes: readonly Outcome[]): string {
  const values = outcomes.map(of)
  const parts = [0.5, 0.99, 0.999, 1].map((part) => quantile(values, part).toFixed(0))
  const over = bound === undefined ? '' : `; over ${bound}: ${values.filter((value) => value > bound).length}`
  return `median ${parts[0]}, p99 ${parts[1]}, p99.9 ${parts[2]}, worst ${parts[3]} ${unit}${over}`
}

function worst({ name, of }: Figure, outcomes: readonly Outcome[]): readonly string[] {
  if (outcomes.length === 0) return []
  const sorted = outcomes.toSorted((a, b) => of(b) - of(a)).slice(0, shown)
  return [`  worst by ${name}:`, ...sorted.map((outcome) => `    ${lineOf(outcome)}`)]
}
