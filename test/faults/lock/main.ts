/**
 * One owner: eight processes open one store at the same moment, under several spellings of its path. Some of them open
 * it in a thread. Half of them run in network and PID namespaces of their own, as containers on one volume do. Half of
 * them run without the addon for locks, as on musl. Exactly one wins. The others learn which process won. When the
 * winner is killed or closes, the store is free at once.
 *
 *     node test/dist/faults/lock/main.js --rounds 200 [--seed 1]
 */
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openStore } from 'varve'
import { Child } from '../machine/child.ts'
import { runSuite } from '../machine/program.ts'
import { newSeed, randomFrom } from '../../support/random.ts'
import type { Answer, Order } from './racer.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '6' }, seed: { type: 'string' } },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed ?? newSeed())
const racersCount = 8
const headStartMs = 60

type Racer = Child<Answer>
/** As another container on the same volume is: no socket and no process id leads to the others. */
const isolated = ['unshare', '--net', '--pid', '--fork', '--kill-child']
const canIsolate = spawnSync(isolated[0] as string, [...isolated.slice(1), 'true']).status === 0
if (!canIsolate) console.log('lock: no racers in namespaces of their own: unshare is not permitted here')

const withoutAddon = { NODE_OPTIONS: `--import=${new URL('./without-addon.js', import.meta.url).href}` }

/** Every second one in namespaces of its own, and two of four without the addon. */
const newRacer = (_: unknown, at: number): Racer =>
  new Child('lock/racer.js', at % 4 < 2 ? {} : withoutAddon, canIsolate && at % 2 === 1 ? isolated : [])

async function ask(racer: Racer, order: Order): Promise<Answer> {
  const answer = racer.line(() => true)
  racer.report(order)
  return answer
}

/** Lines about what is wrong with the answers to the racers. */
function judge(racers: readonly Racer[], answers: readonly Answer[]): string[] {
  const winners = racers.filter((_, i) => won(answers[i]))
  if (winners.length !== 1) return [`${winners.length} winners: ${JSON.stringify(answers)}`]
  return answers.flatMap((answer, i) => {
    if (won(answer)) return []
    // The error of a loser names the winner, unless the winner has not recorded its id yet or is in another namespace.
    const reported =
      'code' in answer && answer.code === 'StoreLocked' && [undefined, winners[0]?.pid].includes(answer.pid)
    return reported ? [] : [`racer ${racers[i]?.pid} heard ${JSON.stringify(answer)}, and ${winners[0]?.pid} won`]
  })
}

const won = (answer: Answer | undefined): boolean => answer !== undefined && 'won' in answer && answer.won

async function run(scratch: string): Promise<readonly string[]> {
  const { next: random } = randomFrom(seed)
  const wrong: string[] = []
  const tally = { killed: 0, closed: 0, inThreads: 0, inNamespaces: 0, withoutAddon: 0 }
  const directory = join(scratch, 'store')
  const link = join(scratch, 'link')
  await mkdir(directory)
  await symlink(directory, link)
  await (await openStore(directory)).close()
  const spellings = [directory, link, `${directory}/.`, `${directory}/../store`, `${link}/../store/`]
  const racers = Array.from({ length: racersCount }, newRacer)
  for (let round = 0; round < rounds && wrong.length === 0; round++) {
    // A thread takes longer to start, so it only ever wins where all are threads.
    const threads = random() < 0.2
    const orders = racers.map((_, i) => ({
      open: spellings[Math.floor(random() * spellings.length)] as string,
      inThread: threads || (i === 0 && round % 4 === 0),
    }))
    // LevelDB takes longer for its lock, so every third round it begins a little earlier.
    const headStart = round % 3 === 2
    const answers = await Promise.all(
      racers.map(async (racer, i) => {
        if (headStart && i % 4 < 2) await delay(headStartMs)
        return ask(racer, orders[i] as Order)
      }),
    )
    wrong.push(...judge(racers, answers).map((line) => `lock seed=${seed} round=${round}: ${line}`))
    const winner = answers.findIndex(won)
    if (winner === -1) break
    if (orders[winner]?.inThread) tally.inThreads++
    if (canIsolate && winner % 2 === 1) tally.inNamespaces++
    const { addon } = answers[winner] as { readonly addon: boolean }
    if (!addon) tally.withoutAddon++
    if (addon !== winner % 4 < 2) wrong.push(`lock: racer ${winner} of four says of the addon: ${addon}`)
    if (random() < 0.5) {
      tally.killed++
      await racers[winner]?.kill()
      racers[winner] = newRacer(undefined, winner)
    } else {
      tally.closed++
      await ask(racers[winner] as Racer, { close: true })
    }
    // Free at once: no waiting, no second try.
    await openStore(spellings[round % spellings.length] as string)
      .then((store) => store.close())
      .catch((error: unknown) => wrong.push(`lock seed=${seed} round=${round}: not free: ${String(error)}`))
  }
  await Promise.all(racers.map((racer) => racer.kill()))
  console.log(
    `lock: ${tally.killed + tally.closed} rounds of ${racersCount}, ${tally.inThreads} won by a thread, ` +
      `${tally.inNamespaces} in namespaces of their own, ${tally.withoutAddon} without the addon, ` +
      `${tally.killed} winners killed, ${tally.closed} closed, ${wrong.length} wrong`,
  )
  return wrong.map((line) => `${line}\n  node test/dist/faults/lock/main.js --rounds ${rounds} --seed ${seed}`)
}

await runSuite({ name: 'lock', needs: ['linux'], run })
