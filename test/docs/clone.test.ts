/** The first commands of the README, in a fresh clone: what a commit would have of this directory, and nothing else. */
import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inject, it } from 'vitest'
import { files, root } from '../tidy/tree.ts'
import { commandsToRun, walk } from './shell/walk.ts'

const page = 'README.md'

function clone(work: string): void {
  for (const path of files) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    cpSync(join(root, path), join(work, path), { verbatimSymlinks: true })
  }
}

it('the README leads from a clone to a server and its first object, and to the demo', {
  timeout: 900_000,
}, async () => {
  const all = (commandsToRun().get(page) ?? []).filter(({ text }) => !text.startsWith('varve '))
  const isDemo = ({ text }: { readonly text: string }) => text.includes('varve demo')
  await walk(page, {
    // The demo has a bucket of the same name, so its server comes last.
    commands: [...all.filter((one) => !isDemo(one)), ...all.filter(isDemo)],
    varve: inject('varveCommand'),
    prepare: clone,
    isClone: true,
    env: { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' },
    replaced: [
      // The pair that was printed.
      [/AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…/g, '$(grep -ho "AWS_ACCESS_KEY_ID=.*" "$STATUSES".1)'],
    ],
  })
})
