import { expect, it } from 'vitest'
import { compareVersions } from './versions.ts'

it('compareVersions puts numbers in their order, and a prerelease before its release', () => {
  const inOrder = ['0.1.0', '0.9.0', '0.10.0-rc.2', '0.10.0-rc.10', '0.10.0', '0.10.1', '1.0.0']
  expect(inOrder.toReversed().toSorted(compareVersions)).toEqual(inOrder)
})
