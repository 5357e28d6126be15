/** Folders show the architecture only while none leads back to itself. */
import { describe, expect, it } from 'vitest'
import { cruise } from './cruise.ts'
import { folderCircles } from './folder-circles.ts'
import { root } from './tree.ts'

/** Tests and fixtures use whatever they need: nothing depends on them. */
const isSource = (path: string): boolean =>
  /^(packages|bench|test)\//.test(path) && !/\.(test|test-d|fixture|d)\.ts$/.test(path)

describe('folders', () => {
  it('are seen to make a circle by different files, over a third folder, and none within themselves', () => {
    const chain = [
      { from: 'a/one.ts', to: 'b/one.ts' },
      { from: 'b/two.ts', to: 'b/deep/one.ts' },
      { from: 'a/one.ts', to: 'a/two.ts' },
    ]
    expect(folderCircles(chain)).toEqual([])
    expect(folderCircles([...chain, { from: 'b/deep/two.ts', to: 'a/three.ts' }])).toEqual([['a', 'b', 'b/deep']])
  })

  it('make no circle', () => {
    const { imports } = cruise(root, ['packages/*/src', 'test', 'bench'])
    const own = imports.filter(({ from, to }) => isSource(from) && isSource(to))
    expect(own.length).toBeGreaterThan(4000)
    expect(folderCircles(own)).toEqual([])
  })
})
