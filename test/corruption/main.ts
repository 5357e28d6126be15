/**
 * `npm run suite corruption`: 20,000 mutations, or `--count N`, from `--from SEED`, or as many as `--minutes N` allow;
 * `--seed N` shows one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { campaign, replayOf, table } from './campaign.ts'
import { makeMaterial } from './material.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: 'Infinity' },
    workers: { type: 'string', default: '1' },
    dir: { type: 'string', default: tmpdir() },
    verbose: { type: 'boolean', default: false },
  },
})
const one = values.seed !== undefined
const count = one ? 1 : Number(values.count)
const minutesSince = (start: number): string => ((performance.now() - start) / 60_000).toFixed(1)
let tried = 0
const directory = await mkdtemp(join(values.dir, 'varve-corruption-'))
try {
  const started = performance.now()
  await makeMaterial(directory)
  const verdicts = await campaign({
    directory,
    from: Number(values.seed ?? values.from),
    count,
    workers: one ? 1 : Number(values.workers),
    minutes: Number(values.minutes),
    onVerdict(verdict) {
      if (one || values.verbose) console.log(JSON.stringify(verdict))
      if (verdict.outcome === 'silent' || verdict.outcome === 'died') console.log(replayOf(verdict))
      if (++tried % 500 === 0) console.log(`${tried} tried, ${minutesSince(started)} min`)
    },
  })
  const silent = verdicts.filter(({ outcome }) => outcome === 'silent')
  console.log(table(verdicts))
  console.log(`${verdicts.length} mutations in ${minutesSince(started)} min, ${silent.length} silent`)
  process.exitCode = silent.length === 0 ? 0 : 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
