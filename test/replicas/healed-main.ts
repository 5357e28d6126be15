/** `npm run suite healed`: --rounds N, --seed N for one of them again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { healCampaign } from './heal-campaign.ts'
import { replayOf } from './heal-trial.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } })
const count = values.seed === undefined ? Number(values.rounds ?? 10_000) : 1
const directory = await mkdtemp(join(tmpdir(), 'varve-healed-'))
try {
  let [done, healed] = [0, 0]
  const verdicts = await healCampaign({
    directory,
    from: Number(values.seed ?? 1),
    count,
    onVerdict(verdict) {
      healed += verdict.healed
      if (verdict.problems.length > 0) console.log(replayOf(verdict))
      if (++done % 100 === 0) console.log(`${done} stores, ${healed} healings`)
    },
  })
  const wrong = verdicts.filter(({ problems }) => problems.length > 0)
  console.log(`${verdicts.length} damaged stores, ${healed} healings, ${wrong.length} not as they were`)
  if (wrong.length > 0) process.exitCode = 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
