/** An option that is a listener is checked by `listener`, whose promises never reject unhandled. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../../packages')
const options = /\b(on[A-Z]\w*): ?(?:optional\()?\s*(\w+)/g
const checks = new Set(['callable', 'callback', 'listener'])

it('holds for every option of such a name', async () => {
  const found: string[] = []
  const others: string[] = []
  for (const name of ['core', 'http', 'varve', 'adapters']) {
    const folder = join(packages, name, 'src')
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts') || file.includes('.test')) continue
      for (const [, option = '', check = ''] of (await readFile(join(folder, file), 'utf8')).matchAll(options)) {
        if (!checks.has(check)) continue
        found.push(option)
        if (check !== 'listener') others.push(`${name}/${file}: ${option}`)
      }
    }
  }
  expect(found.length).toBeGreaterThan(20)
  expect(others).toEqual([])
})
