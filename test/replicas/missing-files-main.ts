/** `npm run suite missing-files`: --trials N, --seed SEED. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { huntMissingFiles } from './missing-files.ts'

const { values } = parseArgs({
  options: { trials: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
})
const directory = await mkdtemp(join(tmpdir(), 'varve-missing-'))
try {
  const [trials, seed] = [Number(values.trials), Number(values.seed)]
  const { whole, refused, incomplete, problems } = await huntMissingFiles({ directory, trials, seed })
  for (const problem of problems) console.log(problem)
  console.log(
    `${trials} replicas with missing files: ${whole} restored whole, ${refused} refused, ${incomplete} restored with losses that were named, ${problems.length} problems`,
  )
  if (problems.length > 0) process.exitCode = 1
} finally {
  await rm(directory, { recursive: true, force: true })
}
