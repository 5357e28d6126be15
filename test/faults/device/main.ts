/**
 * A disk that fails: EIO for every write to the medium, under load, for good or for a moment. The store stops taking
 * writes within one request (`StoreFailed`, which the S3 server answers with 503), and nothing acknowledged is lost.
 *
 *     node test/dist/faults/device/main.js --rounds 10 [--on xfs] [--seed 1] [--layout lmdb+files]
 */
import { parseArgs } from 'node:util'
import { layoutWords, makingNamed } from '../../layouts/layout-parts.ts'
import { runSuite } from '../machine/program.ts'
import { newSeed } from '../../support/random.ts'
import type { Kind } from '../power/loop-image.ts'
import { live } from './rounds.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    on: { type: 'string' },
    seed: { type: 'string' },
    layout: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const kinds: readonly Kind[] = values.on === undefined ? ['ext4', 'xfs'] : [values.on === 'xfs' ? 'xfs' : 'ext4']
const layout = makingNamed(values.layout)
const seed = Number(values.seed ?? newSeed())
const roundsPerDisk = 5

async function run(scratch: string): Promise<readonly string[]> {
  const wrong: string[] = []
  let disk = 0
  for (const on of kinds) {
    const total = { rounds: 0, met: 0, acknowledged: 0 }
    for (let left = Math.ceil(rounds / kinds.length); left > 0; left -= roundsPerDisk) {
      const life = { on, layout, seed: seed + disk++, rounds: Math.min(roundsPerDisk, left) }
      const outcome = await live(life, scratch)
      total.rounds += outcome.rounds
      total.met += outcome.met
      total.acknowledged += outcome.acknowledged
      const again = `node test/dist/faults/device/main.js --on ${on} --seed ${life.seed} --rounds ${life.rounds}${layoutWords(layout)}`
      const where = `device on ${on} seed=${life.seed} round=${outcome.rounds}`
      wrong.push(...outcome.wrong.map((line) => `${where}: ${line}\n  ${again}`))
    }
    console.log(
      `device on ${on}: ${total.rounds} rounds, ${total.met} met the failure, ${total.acknowledged} acknowledged, ` +
        `${wrong.length} wrong`,
    )
    if (total.met * 2 < total.rounds) wrong.push(`device on ${on}: too few rounds met the failure`)
  }
  return wrong
}

await runSuite({
  name: 'device',
  needs: ['linux', 'ownMounts', 'loopDevices', 'fuse', 'nbdkit', 'nbdfuse', 'ext4', 'xfs'],
  mounts: true,
  run,
})
