/**
 * A process that tries one mutation after another and reports the result of each: `worker MATERIAL FROM STEP COUNT`.
 * LevelDB may end the process when it reads damaged files, so mutations run in this process.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeBench, tryOne } from './trial.ts'

const [directory = '', from = '0', step = '1', count = '1'] = process.argv.slice(2)
const material = {
  closed: join(directory, 'closed'),
  earlier: join(directory, 'earlier'),
  killed: join(directory, 'killed'),
}
const scratch = await mkdtemp(join(directory, 'worker-'))
try {
  const bench = await makeBench(material, scratch)
  for (let i = 0; i < Number(count); i++) {
    const seed = Number(from) + i * Number(step)
    process.stdout.write(`${JSON.stringify({ seed })}\n`)
    process.stdout.write(`${JSON.stringify(await tryOne(bench, seed))}\n`)
  }
} finally {
  await rm(scratch, { recursive: true, force: true })
}
