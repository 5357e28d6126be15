/**
 * Power cuts: a writer under load stands still, and the file system below it loses its power. A fresh store opens what
 * comes back and is compared with what was acknowledged.
 *
 *     node test/dist/faults/power/main.js --cuts 40 [--on ext4 --on xfs+ext4] [--seed 1] [--layout segments+tiered]
 *         [--bug no-blob-sync]
 *
 * With a bug the run is good when a cut finds it on every set-up that can show it. The run prints how many cuts that
 * took.
 */
import { parseArgs } from 'node:util'
import { layoutWords, makingNamed } from '../../layouts/layout-parts.ts'
import { type Bug, bugs } from '../load/load.ts'
import { runSuite } from '../machine/program.ts'
import { newSeed } from '../../support/random.ts'
import { live, type Outcome } from './cuts.ts'
import { type SetUpName, setUpNames, shows } from './set-ups.ts'

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '12' },
    on: { type: 'string', multiple: true },
    seed: { type: 'string' },
    layout: { type: 'string' },
    bug: { type: 'string' },
    /** Cuts one store goes through before the next, new one. */
    'per-store': { type: 'string', default: '20' },
  },
})
const cuts = Number(values.cuts)
const perStore = Number(values['per-store'])
const bug = values.bug === undefined ? undefined : (bugs.find((known) => known === values.bug) ?? usage(values.bug))
const on = (values.on ?? setUpNames.filter((name) => bug === undefined || shows(name, bug))).map(
  (name) => setUpNames.find((known) => known === name) ?? usage(name),
)
const layout = makingNamed(values.layout)
const seed = Number(values.seed ?? newSeed())
/** The share of the waiting cuts that must have had something new to lose. Below it the run proves nothing. */
const newsShareMin = 0.9

function usage(word: string): never {
  throw new TypeError(`There is no ${word}: set-ups are ${setUpNames.join(', ')}; bugs are ${bugs.join(', ')}.`)
}

/** Four in five cuts with everything on one file system, unless set-ups were named: then as many with each. */
function shares(): Map<SetUpName, number> {
  const [one, two] = [on.filter((name) => !name.includes('+')), on.filter((name) => name.includes('+'))]
  const ofOne = two.length === 0 ? 1 : values.on === undefined ? 0.8 : one.length / on.length
  const share = (names: readonly SetUpName[], part: number) =>
    names.map((name): [SetUpName, number] => [name, Math.ceil((cuts * part) / names.length)])
  return new Map([...share(one, ofOne), ...share(two, 1 - ofOne)])
}

async function survive(scratch: string): Promise<readonly string[]> {
  const wrong: string[] = []
  let store = 0
  for (const [name, count] of shares()) {
    const total: Outcome = { cuts: 0, early: 0, withNews: 0, acknowledged: 0, wrong: [] }
    while (total.cuts < count) {
      const life = { on: name, layout, seed: seed + store++, cuts: Math.min(perStore, count - total.cuts) }
      const outcome = await live(life, scratch)
      add(total, outcome)
      if (count > 5 * perStore) console.log(`power on ${name}, so far: ${describe(total)}`)
      const again = `node test/dist/faults/power/main.js --on ${name} --seed ${life.seed} --cuts ${life.cuts}${layoutWords(layout)}`
      wrong.push(...outcome.wrong.map((line) => `power seed=${life.seed} cut=${outcome.cuts}: ${line}\n  ${again}`))
    }
    if (total.withNews < (total.cuts - total.early) * newsShareMin)
      wrong.push(`power on ${name}: too few cuts had news to lose`)
    console.log(`power on ${name}: ${describe(total)}`)
  }
  return wrong
}

function add(total: Outcome, { cuts: made, early, withNews, acknowledged, wrong }: Outcome): void {
  total.cuts += made
  total.early += early
  total.withNews += withNews
  total.acknowledged += acknowledged
  total.wrong.push(...wrong)
}

const describe = ({ cuts: made, withNews, acknowledged, wrong }: Outcome): string =>
  `${made} cuts, ${withNews} with new acknowledgements, ${acknowledged} acknowledged, ${wrong.length} wrong`

async function find(planted: Bug, scratch: string): Promise<readonly string[]> {
  const hidden: string[] = []
  for (const name of on) {
    let made = 0
    let found: string | undefined
    for (let store = 0; made < cuts && found === undefined; store++) {
      const life = { on: name, layout, seed: seed + store, cuts: Math.min(perStore, cuts - made), bug: planted }
      const outcome = await live(life, scratch)
      made += outcome.cuts
      found = outcome.wrong[0]
    }
    if (found === undefined) hidden.push(`${planted} on ${name}: not found in ${made} cuts (--seed ${seed})`)
    else console.log(`${planted} on ${name}: found by cut ${made}: ${found}`)
  }
  return hidden
}

await runSuite({
  name: 'power',
  needs: ['linux', 'ownMounts', 'loopDevices', 'ext4', 'xfs', 'shutdown'],
  mounts: true,
  run: (scratch) => (bug === undefined ? survive(scratch) : find(bug, scratch)),
})
