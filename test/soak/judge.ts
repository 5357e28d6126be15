/** What a run must have been like, each bound beside what was measured. */
import { type Summary, summaryOf } from './flatness.ts'
import type { Figure } from './samples.ts'
import type { Outcome } from './soak.ts'

export interface Row {
  readonly what: string
  readonly measured: string
  readonly bound: string
  readonly ok: boolean
}

/** Until a process has compiled its code and grown its heap and caches, in seconds: on a busy machine that is long. */
const warmUpSeconds = 150
/** In a shorter run the last life, two thirds of it, is too short for a meaningful slope. */
const slopesFromSeconds = 1800
const shortWarmUp = 0

interface Flat {
  readonly figure: Figure
  readonly what: string
  readonly most: number
  /** A minute, upwards. */
  readonly slope: number
}

/** RSS counts pages of LevelDB's tables that are mapped; what is the process's own is what a leak would show in. */
const flat: readonly Flat[] = [
  { figure: 'ownMemory', what: 'own memory, MiB', most: 384, slope: 1.5 },
  { figure: 'rss', what: 'RSS with mapped tables, MiB', most: 640, slope: 4 },
  { figure: 'handles', what: 'open files', most: 160, slope: 0.5 },
  { figure: 'sockets', what: 'sockets', most: 96, slope: 0.5 },
  { figure: 'tmpFiles', what: 'temporary files', most: 64, slope: 0.2 },
  { figure: 'blobMiB', what: 'blobs, MiB', most: 1024, slope: 3 },
]

export function judge(outcome: Outcome): readonly Row[] {
  const { tally, left, samples, seconds, faults } = outcome
  const long = seconds >= slopesFromSeconds
  const must = (what: string, measured: number, expected: number): Row => ({
    what,
    measured: String(measured),
    bound: String(expected),
    ok: measured === expected,
  })
  const some = (what: string, measured: number): Row => ({
    what,
    measured: String(measured),
    bound: '> 0',
    ok: measured > 0,
  })
  return [
    some('writes acknowledged', tally.acknowledged),
    some('answers compared byte by byte', tally.verified),
    some('faults', sum(faults.values())),
    ...(long ? rare(outcome).map(([what, count]) => some(what, count)) : []),
    must('lost, wrong, or refused for nothing', tally.wrong.length, 0),
    must('divergences that verify names', left.divergences, 0),
    must('temporary files at the end', left.tmpFiles, 0),
    must('blobs that nothing needs, when orphans are swept', left.blobs - left.blobsExpected, 0),
    ...flat.map((one) => flatRow(one, summaryOf(samples.of(one.figure), long ? warmUpSeconds : shortWarmUp), long)),
  ]
}

/** What a short run on a busy machine may not come to. */
const rare = ({ tally, hits }: Outcome): readonly (readonly [what: string, count: number])[] => [
  ['listings compared', tally.listings],
  ['clients that left half way', tally.left],
  ['failures that faults made', sum(Object.values(hits))],
]

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0)

function flatRow({ what, most, slope }: Flat, summary: Summary, long: boolean): Row {
  const grows = `${summary.slope >= 0 ? '+' : ''}${summary.slope.toFixed(2)}/min`
  const between = `${summary.least.toFixed(0)} .. ${summary.median.toFixed(0)} .. ${summary.most.toFixed(0)}`
  return {
    what,
    measured: `${between}${long ? `, ${grows}` : ''}`,
    bound: `<= ${most}${long ? `, <= +${slope}/min` : ''}`,
    ok: summary.most <= most && (!long || summary.slope <= slope),
  }
}

export function table(rows: readonly Row[]): string {
  const width = (of: (row: Row) => string) => Math.max(...rows.map((row) => of(row).length))
  const [what, measured, bound] = [width((row) => row.what), width((row) => row.measured), width((row) => row.bound)]
  return rows
    .map(
      (row) =>
        `${row.ok ? '  ok ' : ' NOT '} ${row.what.padEnd(what)}  ${row.measured.padEnd(measured)}  ${row.bound.padEnd(bound)}`,
    )
    .join('\n')
}
