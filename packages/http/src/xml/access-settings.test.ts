import { describe, expect, it } from 'vitest'
import { ownershipElements, readOwnershipControls } from '../bucket-settings/ownership-controls.ts'
import { publicAccessBlockElements, readPublicAccessBlock } from '../bucket-settings/public-access-configuration.ts'
import { refusal } from './refusal.fixture.ts'
import { xmlDocument } from './write.ts'

const within = (root: string, inside: string) => Buffer.from(`<${root}>${inside}</${root}>`)

describe('PublicAccessBlockConfiguration', () => {
  const read = (inside: string) => readPublicAccessBlock(within('PublicAccessBlockConfiguration', inside))

  it('reads back as it is written', () => {
    const block = {
      blockPublicAcls: true,
      ignorePublicAcls: false,
      blockPublicPolicy: true,
      restrictPublicBuckets: false,
    }
    const text = xmlDocument('PublicAccessBlockConfiguration', '', publicAccessBlockElements(block))
    expect(readPublicAccessBlock(Buffer.from(text))).toEqual(block)
  })

  it('takes what is left out for false, and refuses what it does not know', () => {
    expect(Object.values(read('<BlockPublicAcls>true</BlockPublicAcls>'))).toEqual([true, false, false, false])
    expect(refusal(() => read('<BlockPublicAcls>TRUE</BlockPublicAcls>'))).toBe('MalformedXML')
    expect(refusal(() => read('<BlockAll>true</BlockAll>'))).toBe('MalformedXML')
  })
})

describe('OwnershipControls', () => {
  const rule = (word: string) => `<Rule><ObjectOwnership>${word}</ObjectOwnership></Rule>`
  const read = (inside: string) => readOwnershipControls(within('OwnershipControls', inside))

  it.each(['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const)('%s reads back', (word) => {
    expect(readOwnershipControls(Buffer.from(xmlDocument('OwnershipControls', '', ownershipElements(word))))).toBe(word)
  })

  it.each([
    ['no rule', ''],
    ['two rules', rule('ObjectWriter').repeat(2)],
    ['an empty rule', '<Rule/>'],
    ['another word', rule('RandomValue')],
  ])('are refused with %s', (_, inside) => expect(refusal(() => read(inside))).toBe('MalformedXML'))
})
