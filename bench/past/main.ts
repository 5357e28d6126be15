/**
 * What the past costs: reads and writes with a retention, as of a moment and through forks, each beside the same work
 * without, and what going back takes.
 *
 *     npm run suite bench-past -- [--rounds 30] [--scale 1] [--only retention,moments,forks,going-back]
 *
 * Both sides of a line are measured in each round, so that other work of the machine affects both: each of them twice, in
 * the order A B B A. A line has the processor time of an operation of both sides, in microseconds, and the median of their
 * ratios with its 95 % confidence interval.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { PastBench } from './bench.ts'
import { compareForks } from './forks.ts'
import { measureGoingBack } from './going-back.ts'
import { compareMoments } from './moments.ts'
import { compareRetention } from './retention.ts'

const parts: Readonly<Record<string, (bench: PastBench) => Promise<void>>> = {
  retention: compareRetention,
  moments: compareMoments,
  forks: compareForks,
  'going-back': measureGoingBack,
}
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', default: Object.keys(parts).join() },
  },
})
const [rounds, scale] = [Number(values.rounds), Number(values.scale)]
const directory = await mkdtemp(join(process.env['VARVE_BENCH_DIR'] ?? tmpdir(), 'varve-past-'))
const scaled = (count: number): number => Math.max(2, Math.ceil(count * scale))
try {
  for (const name of values.only.split(',')) {
    const part = parts[name]
    if (part === undefined) throw new TypeError(`There is no part ${name}.`)
    await part({ directory, rounds, warmUp: Math.min(rounds, 10), scaled })
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}
