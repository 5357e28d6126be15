import { type SettingKind, type SettingValues, StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { bucketOf } from '../fake-store.fixture.ts'
import { objectContext, type RequestSketch } from '../objects/object-context.fixture.ts'
import { answerText } from '../contract/answer-text.fixture.ts'
import type { BucketContext, BucketRow } from '../contract/operation.ts'
import { bucketSettingRows } from './index.ts'

/** A bucket with the given settings. It stores what is put into it. */
function bucket(held: Partial<SettingValues> = {}) {
  const settings = new Map<SettingKind, unknown>(Object.entries(held) as [SettingKind, unknown][])
  const room = {
    get: async (_bucket: string, kind: SettingKind) => settings.get(kind),
    put: async (_bucket: string, kind: SettingKind, value: unknown) => void settings.set(kind, value),
    remove: async (_bucket: string, kind: SettingKind) => void settings.delete(kind),
  }
  const ask = (method: BucketRow['method'], subresource: string, sketch: RequestSketch & { text?: string } = {}) => {
    const { text = '', ...rest } = sketch
    const row = bucketSettingRows.find((one) => one.method === method && one.when.query?.[0] === subresource)
    const body = { ...objectContext().body, small: async () => Buffer.from(text) }
    const head = async (name: string) => {
      if (name === 'nowhere') throw new StorageError('NoSuchBucket', 'none')
      return bucketOf(name === 'others' ? 'somebody' : 'o', { region: name === 'far' ? 'us-east-1' : 'eu' })
    }
    const context = objectContext({ body, store: { buckets: { settings: room, head } }, ...rest })
    return (row as BucketRow).handler(context as BucketContext)
  }
  return { ask, settings }
}

interface Example {
  readonly subresource: string
  readonly kind: SettingKind
  readonly value: unknown
  readonly sent: string
  readonly headers?: Readonly<Record<string, string>>
  /** What is given back, where that is not what was sent. */
  readonly shown?: string
}

/** With spacing that no serialiser would produce. */
const readers =
  '{ "Statement":{"Effect":"Allow","Principal":"*", "Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}}'

const acceleration: Example = {
  subresource: 'accelerate',
  kind: 'Acceleration',
  value: 'Suspended',
  sent: '<AccelerateConfiguration><Status>Suspended</Status></AccelerateConfiguration>',
}

const accelerated = '<AccelerateConfiguration><Status>Enabled</Status></AccelerateConfiguration>'

const lifecycle = (rule: string) => `<LifecycleConfiguration><Rule>${rule}</Rule></LifecycleConfiguration>`
const days = '<Expiration><Days>1</Days></Expiration>'
const tags = ['a', 'b'].map((key) => `<Tag><Key>${key}</Key><Value>v</Value></Tag>`).join('')

const hook = 'arn:varve:sqs:::hook'
const notification = (inside: string) => `<NotificationConfiguration>${inside}</NotificationConfiguration>`
const queue = (arn: string, rest: string) =>
  `<QueueConfiguration><Id>q</Id><Queue>${arn}</Queue>${rest}</QueueConfiguration>`
const created = '<Event>s3:ObjectCreated:*</Event>'
const skipped = { 'x-amz-skip-destination-validation': 'true' }

const byDefault = (applied: string, more = '') =>
  `<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>${applied}</ApplyServerSideEncryptionByDefault>${more}</Rule></ServerSideEncryptionConfiguration>`

const logs = (target: string, more = '', prefix = 'log/') =>
  `<BucketLoggingStatus><LoggingEnabled><TargetBucket>${target}</TargetBucket>${more}<TargetPrefix>${prefix}</TargetPrefix>` +
  '</LoggingEnabled></BucketLoggingStatus>'
const delivery =
  '<TargetGrants><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Group">' +
  '<URI>http://acs.amazonaws.com/groups/s3/LogDelivery</URI></Grantee><Permission>WRITE</Permission></Grant></TargetGrants>'

const examples: readonly Example[] = [
  {
    subresource: 'logging',
    kind: 'Logging',
    value: {
      targetBucket: 'logs',
      targetPrefix: 'log/',
      targetGrants: [{ grantee: { group: 'LogDelivery' }, permission: 'WRITE' }],
    },
    sent: logs('logs', delivery),
  },
  {
    subresource: 'notification',
    kind: 'Notifications',
    headers: skipped,
    value: {
      targets: [
        {
          id: 'q',
          kind: 'Queue',
          arn: hook,
          events: ['s3:ObjectCreated:*'],
          filter: [{ name: 'prefix', value: 'img/' }],
        },
      ],
    },
    sent: notification(
      queue(
        hook,
        `${created}<Filter><S3Key><FilterRule><Name>Prefix</Name><Value>img/</Value></FilterRule></S3Key></Filter>`,
      ),
    ),
  },
  {
    subresource: 'encryption',
    kind: 'Encryption',
    value: { mode: 'aws:kms', keyName: 'payroll', bucketKey: true },
    sent: byDefault(
      '<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>payroll</KMSMasterKeyID>',
      '<BucketKeyEnabled>true</BucketKeyEnabled>',
    ),
  },
  {
    subresource: 'tagging',
    kind: 'Tags',
    value: [
      { key: 'a', value: 'v' },
      { key: 'b', value: 'v' },
    ],
    sent: `<Tagging><TagSet>${tags}</TagSet></Tagging>`,
  },
  {
    subresource: 'lifecycle',
    kind: 'Lifecycle',
    sent: lifecycle(
      `${days}<ID>one</ID><Filter><And><Prefix>p</Prefix>${tags}<ObjectSizeGreaterThan>5</ObjectSizeGreaterThan>` +
        '</And></Filter><Status>Enabled</Status>' +
        '<Transition><Days>0</Days><StorageClass>GLACIER</StorageClass></Transition>' +
        '<NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays>' +
        '<NewerNoncurrentVersions>2</NewerNoncurrentVersions></NoncurrentVersionExpiration>' +
        '<AbortIncompleteMultipartUpload><DaysAfterInitiation>4</DaysAfterInitiation></AbortIncompleteMultipartUpload>',
    ),
    value: {
      rules: [
        {
          id: 'one',
          status: 'Enabled',
          filter: {
            prefix: 'p',
            tags: [
              { key: 'a', value: 'v' },
              { key: 'b', value: 'v' },
            ],
            sizeGreaterThan: 5,
          },
          filterForm: 'and',
          expiration: { days: 1 },
          noncurrentExpiration: { days: 3, newerVersions: 2 },
          abortUploadsAfterDays: 4,
          transitions: [{ storageClass: 'GLACIER', days: 0 }],
        },
      ],
      transitionMinimumSize: 'all_storage_classes_128K',
    },
  },
  acceleration,
  {
    subresource: 'ownershipControls',
    kind: 'Ownership',
    value: 'BucketOwnerPreferred',
    sent: '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerPreferred</ObjectOwnership></Rule></OwnershipControls>',
  },
  {
    subresource: 'policy',
    kind: 'Policy',
    value: readers,
    sent: readers,
  },
  {
    subresource: 'publicAccessBlock',
    kind: 'PublicAccessBlock',
    value: { blockPublicAcls: true, ignorePublicAcls: false, blockPublicPolicy: true, restrictPublicBuckets: false },
    sent:
      '<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>false</IgnorePublicAcls>' +
      '<BlockPublicPolicy>true</BlockPublicPolicy><RestrictPublicBuckets>false</RestrictPublicBuckets>' +
      '</PublicAccessBlockConfiguration>',
  },
  {
    subresource: 'requestPayment',
    kind: 'RequestPayment',
    value: 'Requester',
    sent: '<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>',
  },
]

describe('a setting', () => {
  it.each(examples)(
    '$subresource is read, kept and given back',
    async ({ subresource, kind, value, sent, headers = {}, shown = sent }) => {
      const { ask, settings } = bucket()
      await ask('PUT', subresource, { text: sent, headers })
      expect(settings.get(kind)).toEqual(value)
      expect(answerText(await ask('GET', subresource))).toBe(shown)
    },
  )

  it.each(examples)('$subresource is not set by a request without a body', async ({ subresource }) => {
    await expect(bucket().ask('PUT', subresource)).rejects.toMatchObject({ code: 'MissingRequestBodyError' })
  })
})

it('a bucket that an earlier release accelerated is still shown so', async () => {
  const shown = await bucket({ Acceleration: 'Enabled' }).ask('GET', 'accelerate')
  expect(answerText(shown)).toBe(accelerated)
})

describe('a setting that is not there', () => {
  it.each([
    ['accelerate', '<AccelerateConfiguration></AccelerateConfiguration>'],
    ['notification', '<NotificationConfiguration></NotificationConfiguration>'],
    ['logging', '<BucketLoggingStatus></BucketLoggingStatus>'],
    ['requestPayment', '<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>'],
  ])('%s is answered as S3 does', async (subresource, shown) => {
    expect(answerText(await bucket().ask('GET', subresource))).toBe(shown)
  })
})

describe('lifecycle rules', () => {
  it('get ids, and dates of one form, and are NoSuchLifecycleConfiguration where there are none', async () => {
    const { ask, settings } = bucket()
    const text = lifecycle('<Status>Enabled</Status><Prefix>a</Prefix><Expiration><Date>2017-09-27</Date></Expiration>')
    await ask('PUT', 'lifecycle', { text })
    const { rules } = settings.get('Lifecycle') as SettingValues['Lifecycle']
    expect(rules).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        expiration: { date: 1_506_470_400_000 },
      }),
    ])
    expect(answerText(await ask('GET', 'lifecycle'))).toContain('<Date>2017-09-27T00:00:00.000Z</Date>')
    await ask('DELETE', 'lifecycle')
    await expect(ask('GET', 'lifecycle')).rejects.toMatchObject({ code: 'NoSuchLifecycleConfiguration' })
  })

  it('set the minimum size of transitions, with the values S3 knows', async () => {
    const name = 'x-amz-transition-default-minimum-object-size'
    const text = lifecycle(`${days}<Status>Enabled</Status><Prefix/>`)
    const { ask } = bucket()
    const headers = { [name]: 'varies_by_storage_class' }
    expect(await ask('PUT', 'lifecycle', { text, headers })).toMatchObject({ headers })
    expect(await ask('GET', 'lifecycle')).toMatchObject({ headers })
    await expect(ask('PUT', 'lifecycle', { text, headers: { [name]: 'value' } })).rejects.toMatchObject({
      code: 'InvalidRequest',
    })
  })
})

describe('notifications', () => {
  it('are sent to those the server knows', async () => {
    const { ask, settings } = bucket()
    const { options } = objectContext()
    const text = notification(queue(hook, created))
    await ask('PUT', 'notification', { text, options: { ...options, notificationTargets: [hook] } })
    expect(settings.has('Notifications')).toBe(true)
    await expect(ask('PUT', 'notification', { text })).rejects.toMatchObject({
      message: 'Unable to validate the following destination configurations',
      details: { ArgumentName1: hook, ArgumentValue1: 'The destination queue does not exist' },
    })
    await ask('PUT', 'notification', { text: notification('') })
    expect(settings.has('Notifications')).toBe(false)
  })
})

describe('logging', () => {
  it('ends with an empty status', async () => {
    const { ask, settings } = bucket()
    await ask('PUT', 'logging', { text: logs('logs') })
    expect(settings.has('Logging')).toBe(true)
    await ask('PUT', 'logging', { text: '<BucketLoggingStatus/>' })
    expect(settings.has('Logging')).toBe(false)
  })

  const partitioned =
    '<TargetObjectKeyFormat><PartitionedPrefix><PartitionDateSource>EventTime</PartitionDateSource></PartitionedPrefix></TargetObjectKeyFormat>'
  it.each([
    ['a prefix', '', 'x'.repeat(988), 'x'.repeat(989)],
    ['a prefix beyond ASCII', '', 'é'.repeat(494), `x${'é'.repeat(494)}`],
    ['a partitioned prefix', partitioned, 'x'.repeat(900), 'x'.repeat(1000)],
  ])('takes no prefix with which every delivery would fail: %s', async (_name, more, longest, longer) => {
    const { ask } = bucket()
    expect(await ask('PUT', 'logging', { text: logs('logs', more, longest) })).toMatchObject({ status: 200 })
    await expect(ask('PUT', 'logging', { text: logs('logs', more, longer) })).rejects.toMatchObject({
      code: 'InvalidArgument',
      details: { ArgumentName: 'TargetPrefix' },
    })
  })
})

describe('tags of a bucket', () => {
  it('are none where there is no set of them, and where an empty one was put', async () => {
    const { ask } = bucket({ Tags: [{ key: 'a', value: 'v' }] })
    expect(await ask('PUT', 'tagging', { text: '<Tagging><TagSet/></Tagging>' })).toMatchObject({ status: 204 })
    await expect(ask('GET', 'tagging')).rejects.toMatchObject({ code: 'NoSuchTagSet', details: { BucketName: 'b' } })
  })
})

describe('what cannot be', () => {
  it.each([
    ['accelerate', 'MalformedXML', '<AccelerateConfiguration><Status>On</Status></AccelerateConfiguration>'],
    ['accelerate', 'NotImplemented', accelerated],
    ['requestPayment', 'MalformedXML', '<RequestPaymentConfiguration/>'],
    ['notification', 'InvalidArgument', notification(queue('nobody', created))],
    ['notification', 'InvalidArgument', notification(queue(hook, created))],
    ['notification', 'InvalidArgument', notification(queue(hook, '<Event>s3:ObjectBought:*</Event>'))],
    ['notification', 'InvalidArgument', notification(queue(hook, created) + queue(hook, created))],
    ['notification', 'MalformedXML', notification(queue(hook, ''))],
    ['logging', 'InvalidTargetBucketForLogging', logs('nowhere')],
    ['logging', 'InvalidTargetBucketForLogging', logs('others')],
    ['logging', 'CrossLocationLoggingProhibitted', logs('far')],
    ['logging', 'MalformedXML', logs('logs', '<TargetObjectKeyFormat/>')],
    ['notification', 'NotImplemented', notification('<EventBridgeConfiguration/>')],
    ['lifecycle', 'MalformedXML', '<LifecycleConfiguration/>'],
    ['lifecycle', 'MalformedXML', lifecycle(`${days}<Status>enabled</Status><Prefix/>`)],
    ['lifecycle', 'MalformedXML', lifecycle('<Status>Enabled</Status><Prefix/>')],
    ['lifecycle', 'MalformedXML', lifecycle(`${days}<Status>Enabled</Status>`)],
    ['lifecycle', 'MalformedXML', lifecycle(`${days}<Status>Enabled</Status><Prefix/><Filter/>`)],
    [
      'lifecycle',
      'MalformedXML',
      lifecycle(`${days}<Status>Enabled</Status><Filter><Prefix/><And><Prefix/></And></Filter>`),
    ],
    [
      'lifecycle',
      'MalformedXML',
      lifecycle(`${days}<Status>Enabled</Status><Filter><And><Prefix>p</Prefix></And></Filter>`),
    ],
    ['lifecycle', 'MalformedXML', lifecycle(`${days}<Status>Enabled</Status><Filter><And/></Filter>`)],
    ['lifecycle', 'MalformedXML', lifecycle('<Status>Enabled</Status><Filter/><NoncurrentVersionExpiration/>')],
    [
      'lifecycle',
      'MalformedXML',
      lifecycle(
        '<Status>Enabled</Status><Filter/><Expiration><Days>1</Days>' +
          '<ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>',
      ),
    ],
    [
      'lifecycle',
      'MalformedXML',
      lifecycle('<Status>Enabled</Status><Prefix/><Expiration><Days>x</Days></Expiration>'),
    ],
  ])('%s is refused with %s', async (subresource, code, text) => {
    await expect(bucket().ask('PUT', subresource, { text })).rejects.toMatchObject({ code })
  })

  it('no bucket with a dot in its name is accelerated', async () => {
    const requested = bucket().ask('PUT', 'accelerate', { text: accelerated, bucket: 'a.b' })
    await expect(requested).rejects.toMatchObject({ code: 'InvalidRequest' })
  })
})
