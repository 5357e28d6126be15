/** Who waits for a signal uses `onAbort`, so that no number of calls with one signal makes Node warn of a leak. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../../packages')

it('holds for every file', async () => {
  const found: string[] = []
  for (const name of ['core', 'http', 'varve', 'adapters']) {
    const folder = join(packages, name, 'src')
    for (const file of await readdir(folder, { recursive: true })) {
      // The suites for ports make signals of their own.
      if (!file.endsWith('.ts') || /\.(test|fixture)\./.test(file) || file.startsWith('contracts/')) continue
      if (/(addEventListener|\bonabort\b)/.test(await readFile(join(folder, file), 'utf8')))
        found.push(`${name}/${file}`)
    }
  }
  expect(found.sort()).toEqual(['core/base/on-abort.ts', 'core/platform.d.ts', 'core/schema/scalars.ts'])
})
