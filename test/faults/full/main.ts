/**
 * No room: bytes, files or the size of a file run out under every operation that writes, in the store itself and in the
 * S3 server. Nothing acknowledged is lost. Reads continue. While there is a little room left, operations that free room
 * still work. When there is room again, the same process accepts writes again.
 *
 *     node test/dist/faults/full/main.js [--each] [--of served] [--shortage 'no files left'] [--layout sqlite+files]
 *
 * With `--each` every operation has a shortage of its own; otherwise all of them share one.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from 'varve'
import { layoutWords, makingNamed } from '../../layouts/layout-parts.ts'
import { runSuite } from '../machine/program.ts'
import { runCycle } from './cycle.ts'
import { holdInProcess } from './library.ts'
import { makeReady, operations } from './operations.ts'
import { holdServed } from './served.ts'
import { type Shortage, shortages } from './shortages.ts'
import type { Holder } from './target.ts'

const holders = { library: holdInProcess, served: holdServed } as const

const { values } = parseArgs({
  options: {
    each: { type: 'boolean', default: false },
    layout: { type: 'string' },
    of: { type: 'string', multiple: true, default: Object.keys(holders) },
    shortage: { type: 'string', multiple: true, default: shortages.map(({ name }) => name) },
  },
})
const layout = makingNamed(values.layout)
const groups = values.each ? operations.map((operation) => [operation]) : [operations]

async function live(holding: keyof typeof holders, shortage: Shortage, scratch: string): Promise<string[]> {
  const point = join(scratch, 'place')
  const directory = join(point, 'store')
  const unmake = await shortage.make(point, scratch)
  const wrong: string[] = []
  const total = { ok: 0, full: 0, unavailable: 0, recoveredMs: 0 }
  let holder: Holder | undefined
  try {
    holder = await holders[holding]({ directory, layout })
    await makeReady(holder.target)
    for (const [i, group] of groups.entries()) {
      const cycle = { shortage, operations: group, point, holder, name: `cycle-${i}` }
      const { wrong: found, answers, recoveredMs } = await runCycle(cycle)
      wrong.push(...found)
      for (const answer of ['ok', 'full', 'unavailable'] as const) total[answer] += answers[answer]
      total.recoveredMs = Math.max(total.recoveredMs, recoveredMs)
    }
    await holder.close()
    holder = undefined
    wrong.push(...(await verify(directory)))
  } catch (error) {
    wrong.push(`${shortage.name}: ${error instanceof Error ? error.stack : String(error)}`)
  } finally {
    await holder?.close().catch(() => undefined)
    await unmake()
    await rm(point, { recursive: true, force: true })
  }
  const again = `node test/dist/faults/full/main.js${values.each ? ' --each' : ''} --of ${holding} --shortage '${shortage.name}'${layoutWords(layout)}`
  console.log(
    `full, ${holding}, ${shortage.name}: ${groups.length} shortages, ${total.ok} writes done, ${total.full} refused as full, ` +
      `${total.unavailable} as unavailable, writes again after ${total.recoveredMs.toFixed(0)} ms at most, ${wrong.length} wrong`,
  )
  return wrong.map((line) => `full, ${holding}: ${line}\n  ${again}`)
}

async function verify(directory: string): Promise<string[]> {
  const store = await openStore(directory)
  await store.sweep({ orphans: true })
  const { divergences } = await store.verify()
  await store.close()
  return divergences.map(({ kind, message }) => `verify: ${kind}: ${message}`)
}

async function run(scratch: string): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const shortage of shortages.filter(({ name }) => values.shortage.includes(name))) {
    for (const holding of ['library', 'served'] as const) {
      if (values.of.includes(holding)) wrong.push(...(await live(holding, shortage, scratch)))
    }
  }
  return wrong
}

await runSuite({ name: 'full', needs: ['linux', 'ownMounts', 'loopDevices', 'ext4', 'prlimit'], mounts: true, run })
