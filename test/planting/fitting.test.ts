import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allBugs } from './planting.ts'

describe('every planted bug fits the source in which it is planted', () => {
  it.each(allBugs)('$name', async ({ patches }) => {
    for (const { file, find } of patches) {
      const source = await readFile(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')
      expect(source.split(find).length - 1, `${file} has this once: ${find}`).toBe(1)
    }
  })
})
