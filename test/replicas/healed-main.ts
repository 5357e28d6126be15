/** `npm run suite healed`: --damages N, --from SEED; or --seed SEED for one store again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { healCampaign } from './heal-campaign.ts'
import { replayOf } from './heal-trial.ts'

const { values } = parseArgs({
  options: {
    damages: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
})
const directory = await mkdtemp(join(tmpdir(), 'varve-healed-'))
try {
  let [stores, damages, healed] = [0, 0, 0]
  const verdicts = await healCampaign({
    directory,
    from: Number(values.seed ?? values.from),
    ...(values.seed === undefined && { damages: Number(values.damages) }),
    onVerdict(verdict) {
      healed += verdict.healed
      damages += verdict.damages
      if (verdict.problems.length > 0) console.log(replayOf(verdict))
      if (++stores % 100 === 0) console.log(`${damages} damages in ${stores} stores, ${healed} healings`)
    },
  })
  const wrong = verdicts.filter(({ problems }) => problems.length > 0)
  console.log(`${damages} damages in ${stores} stores, ${healed} healings, ${wrong.length} stores not as they were`)
  if (wrong.length > 0) process.exitCode = 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
