/** The files that a browser loads: small, all from the server, and nothing inline. `npm run build` makes them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const dist = fileURLToPath(new URL('../../packages/console/dist/', import.meta.url))
const paths = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const gzipBytesMax = 150 * 1000

describe('the console', () => {
  it(`is smaller than ${gzipBytesMax} bytes, compressed`, () => {
    const bytes = paths.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThan(gzipBytesMax)
  })

  it('loads its files by relative paths, so that it works below any prefix', () => {
    const page = readFileSync(join(dist, 'index.html'), 'utf8')
    const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path = '']) => path)
    expect(loaded.length).toBeGreaterThan(2)
    expect(loaded.filter((path) => !path.startsWith('./'))).toEqual([])
    expect(page).not.toMatch(/<style|<script(?![^>]*src=)| style=/)
  })
})
