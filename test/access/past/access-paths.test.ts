/**
 * Every access path to the past, tried by principals that have the right and by those that have not. Without the right, a request gets 403,
 * shows nothing of the past, and changes nothing.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Store } from 'varve'
import { describe, expect, it } from 'vitest'
import { permissionTable } from '#http/access/permission-table'
import { controlApi, controlRows } from '#http/control/table'
import { varveActions } from '#http/policies/actions'
import { openTestService } from '../../acceptance/support/test-service.ts'
import { controlAccessPaths } from './control-access-paths.ts'
import { policies, principals } from './principals.ts'
import { sources } from './s3-access-paths.ts'
import { accessPaths, tryAccessPaths } from './try-access-paths.ts'

describe('in one process:', () => {
  tryAccessPaths(principals, () => {
    let open: Store | undefined
    return openTestService({
      policies,
      store: { retentionMs: 3_600_000 },
      wrap: (store) => (open = store),
      serve: { controlStore: () => open as Store, websiteSuffixes: ['site.test'] },
    })
  })
})

describe('the table of access paths', () => {
  it('has every operation of the control API', () => {
    const tried = controlAccessPaths.map(({ name }) => name)
    expect(Object.keys(controlApi).filter((operation) => !tried.includes(`control: ${operation}`))).toEqual([])
  })

  it('has every operation that reads another bucket than its own', () => {
    const reading = Object.entries(permissionTable).filter(([, rules]) =>
      rules.some(({ resource }) => resource.startsWith('source')),
    )
    expect(new Set(sources.map(({ operation }) => operation))).toEqual(new Set(reading.map(([name]) => name)))
  })

  it('has an access path that each right of Varve allows', () => {
    const need = new Set(
      accessPaths.flatMap((accessPath) => ('rights' in accessPath.need ? accessPath.need.rights : [])),
    )
    expect([...need].sort()).toEqual([...varveActions])
  })

  it('has each operation of the control API once in the documentation, with its right', () => {
    const page = readFileSync(fileURLToPath(new URL('../../../docs/control.md', import.meta.url)), 'utf8')
    const [, table = ''] = page.split('| Action | Operations |')
    for (const { action, method, path } of controlRows) {
      if (action === undefined) continue
      const line = table.split('\n').find((one) => one.startsWith(`| \`${action}\` |`)) ?? ''
      const operation = path.replace('/-/v1/', '')
      expect([action, `${method} ${operation}`, line]).toEqual([
        action,
        `${method} ${operation}`,
        expect.stringMatching(`\`(?:${method} )?${operation}\``),
      ])
    }
  })
})
