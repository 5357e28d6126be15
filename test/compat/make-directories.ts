/**
 * Makes the golden directories of one format: for each layout a store that was closed and one whose process was killed.
 *
 *     npm run suite golden-directories -- new
 *
 * The argument is the folder in test/compat/directories. Those of a format that was released are never made again.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fileURLToPath } from 'node:url'
import type { LayoutName } from '@varve/adapters'
import { packDirectory } from './directory-archive.ts'
import { liveInDirectory } from './directory-session.ts'
import { endings, type Ending, goldenLayouts, openGolden } from './golden-directories.ts'
import { storeFacts, type StoreFacts } from './store-facts.ts'

/** The sources' folder, not that of the compiled program. */
const folder = fileURLToPath(new URL('../../compat/directories/', import.meta.url))

async function main(name: string): Promise<void> {
  const target = join(folder, name)
  const scratch = await mkdtemp(join(tmpdir(), 'varve-golden-'))
  let expected: StoreFacts | undefined
  try {
    // Fails if the folder exists: its directories are never made again.
    await mkdir(target)
    for (const layout of goldenLayouts) {
      for (const ending of endings) {
        const directory = join(scratch, `${layout}-${ending}`)
        await liveInChild(directory, layout, ending)
        const archive = await packDirectory(directory)
        const facts = await factsOf(directory)
        if (expected !== undefined && !isDeepStrictEqual(facts, expected)) throw new Error(`${layout} differs.`)
        expected = facts
        await writeFile(join(target, `${layout}-${ending}.br`), archive)
        console.log(`${layout} ${ending}: ${archive.length} bytes`)
      }
    }
    await writeFile(join(target, 'expected.json'), `${JSON.stringify(expected, null, 1)}\n`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function liveInChild(directory: string, layout: LayoutName, ending: Ending): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['--live', directory, layout, ending])
  const exit = once(child, 'exit')
  await Promise.race([once(child, 'message'), exit])
  if (ending === 'killed') child.kill('SIGKILL')
  const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null]
  if (ending === 'killed' ? signal !== 'SIGKILL' : code !== 0) throw new Error(`${layout}: it ended with ${code}.`)
}

async function live(directory: string, layout: LayoutName, ending: Ending): Promise<void> {
  const close = await liveInDirectory(directory, layout)
  if (ending === 'closed') await close()
  process.send?.('ready')
  if (ending === 'closed') process.disconnect()
}

async function factsOf(directory: string): Promise<StoreFacts> {
  const store = await openGolden(directory)
  try {
    return await storeFacts(store, await endOfSession(store))
  } finally {
    await store.close()
  }
}

/** The last event of Alice: what follows are background jobs of the opening. */
async function endOfSession(store: Awaited<ReturnType<typeof openGolden>>): Promise<number> {
  let end = 0
  for await (const { seq, by } of store.log()) if (by.id === 'a1') end = seq
  return end
}

const [first = '', directory = '', layout, ending] = process.argv.slice(2)
if (first === '--live') await live(directory, layout as LayoutName, ending as Ending)
else if (/^[a-z0-9-]+$/.test(first)) await main(first)
else throw new Error('Name a folder of test/compat/directories.')
