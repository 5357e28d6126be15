/**
 * The checklist of hostile requests, row by row: what each is answered, that the server is there afterwards, that nothing
 * was stored, and that no secret got anywhere.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../acceptance/support/wire.ts'
import { type Answer, type Row, shown } from './row.ts'
import { expectDiscreet, openScene, type Scene } from './scene.ts'
import { tables } from './tables/index.ts'

for (const { section, rows } of tables) {
  describe(section, () => {
    let scene: Scene
    beforeAll(async () => {
      scene = await openScene()
    })
    afterAll(() => scene.stop())

    for (const row of rows) {
      const { name, outcome } = row
      it(`answers ${shown(name)} with ${outcome.join(' ')}`, async () => {
        scene.mark()
        const answer = await answerTo(scene, row)
        expect([answer.status, answer.code()], answer.text).toEqual([outcome[0], outcome[1]])
        expectDiscreet(answer, scene)
        await row.also?.(scene, answer)
        await scene.expectUnharmed(answer.status < 300)
      })
    }

    it('leaves a sound store, no name and no secret', () => scene.expectNothingLeft())
  })
}

async function answerTo(scene: Scene, { bytes, closes = false }: Row): Promise<Answer> {
  const sent = bytes(scene)
  const method = Buffer.from(sent.slice(0, 8)).toString('latin1').split(' ', 1)[0] ?? ''
  const wire = await connect(scene.server)
  wire.send(sent)
  try {
    const answer = await wire.answer(method)
    if (closes) await wire.closed()
    return answer
  } finally {
    wire.socket.destroy()
  }
}
