import { StorageError } from '@varve/core'
import type { DeleteOutcome, DeleteTarget } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectContext } from '../objects/object-context.fixture.ts'
import type { RequestSketch } from '../objects/object-context.fixture.ts'
import { answerText } from '../contract/answer-text.fixture.ts'
import { deleteObjects } from './delete-objects.ts'

const named = (...objects: string[]) => objects.map((inner) => `<Object>${inner}</Object>`).join('')

async function run(inner: string, sketch: RequestSketch = {}) {
  const requested: DeleteTarget[] = []
  const deleteMany = async (_bucket: string, targets: readonly DeleteTarget[]): Promise<DeleteOutcome[]> => {
    requested.push(...targets)
    return targets.map((target) => {
      if (target.key === 'bad') return { ...target, error: new StorageError('PreconditionFailed', 'No.') }
      const removed = target.versionId === undefined ? { versionId: 'm' } : { versionId: target.versionId }
      return { ...target, result: { ...removed, deleteMarker: target.versionId === undefined } }
    })
  }
  const body = {
    length: 1,
    isLong: false,
    checks: () => ({ contentMD5: 'x' }),
    stream: () => {
      throw new TypeError('Documents are small.')
    },
    small: async () => Buffer.from(`<Delete>${inner}</Delete>`),
  }
  const result = await deleteObjects(objectContext({ body, store: { objects: { deleteMany } }, ...sketch }))
  return { text: answerText(result), requested }
}

describe('DeleteObjects', () => {
  it('reports each object in the order it was named', async () => {
    const { text } = await run(named('<Key>a</Key>', '<Key>bad</Key>', '<Key>c</Key><VersionId>null</VersionId>'))
    expect(text).toBe(
      '<DeleteResult>' +
        '<Deleted><Key>a</Key><DeleteMarker>true</DeleteMarker><DeleteMarkerVersionId>m</DeleteMarkerVersionId></Deleted>' +
        '<Error><Key>bad</Key><Code>PreconditionFailed</Code><Message>No.</Message></Error>' +
        '<Deleted><Key>c</Key><VersionId>null</VersionId></Deleted></DeleteResult>',
    )
  })

  it('reports nothing but errors in quiet mode', async () => {
    const { text } = await run(`<Quiet>true</Quiet>${named('<Key>a</Key>', '<Key>bad</Key>')}`)
    expect(text).not.toContain('<Deleted>')
    expect(text.match(/<Error>/g)).toHaveLength(1)
  })

  it('takes keys as they are: decoded from XML, never from a URL', async () => {
    const { requested } = await run(named('<Key>a%2Fb &amp;lt;</Key>'))
    expect(requested).toEqual([{ key: 'a%2Fb &lt;' }])
  })

  it('checks permission for each key, and another permission for versions', async () => {
    const questions: unknown[] = []
    const allows: RequestSketch['allows'] = async (permission) => {
      questions.push(permission)
      return permission.action === 's3:DeleteObject'
    }
    const { text, requested } = await run(named('<Key>a</Key>', '<Key>b</Key><VersionId>null</VersionId>'), { allows })
    expect(questions).toEqual([
      { action: 's3:DeleteObject', bucket: 'b', key: 'a', values: { 's3:if-match': [] } },
      { action: 's3:DeleteObjectVersion', bucket: 'b', key: 'b', versionId: 'null', values: { 's3:if-match': [] } },
    ])
    expect(requested).toEqual([{ key: 'a' }])
    expect(text).toContain('<Error><Key>b</Key><VersionId>null</VersionId><Code>AccessDenied</Code>')
  })

  it.each([
    ['<Key></Key>', 'InvalidArgument'],
    [`<Key>${'k'.repeat(1025)}</Key>`, 'KeyTooLongError'],
    ['<Key>a</Key><VersionId>nonsense</VersionId>', 'NoSuchVersion'],
    ['<Key>a</Key><VersionId></VersionId>', 'NoSuchVersion'],
    ['<Key>a</Key><Size>3</Size>', 'NotImplemented'],
    ['<Key>a</Key><LastModifiedTime>x</LastModifiedTime>', 'NotImplemented'],
  ])('refuses object %# by itself', async (object, code) => {
    const { text, requested } = await run(named(object, '<Key>z</Key>'))
    expect(text).toContain(`<Code>${code}</Code>`)
    expect(requested).toEqual([{ key: 'z' }])
  })

  it('passes a condition on without its quotes', async () => {
    const { requested } = await run(named('<Key>a</Key><ETag>"e"</ETag>'))
    expect(requested).toEqual([{ key: 'a', ifMatch: 'e' }])
  })

  it('needs to know what the body should have been', async () => {
    const body = { ...objectContext().body, small: async () => Buffer.from('<Delete/>') }
    await expect(run('', { body })).rejects.toMatchObject({ code: 'InvalidRequest' })
  })

  it.each([0, 1001])('refuses %d objects', async (count) => {
    const objects = Array.from({ length: count }, (_, i) => `<Key>${i}</Key>`)
    await expect(run(named(...objects))).rejects.toMatchObject({ code: 'MalformedXML' })
  })
})
