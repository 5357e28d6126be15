import { describe, expect, it } from 'vitest'
import { exclusions } from './excluded.ts'
import { judge, readReport } from './results.ts'

describe('the report of ceph/s3-tests', () => {
  const xml =
    '<testsuites><testsuite><testcase classname="c" name="test_a" time="1"/>' +
    '<testcase name="test_b[x-1]"><failure message="m">text</failure></testcase>' +
    '<testcase name="test_c"><skipped message="m"/></testcase>' +
    '<testcase name="test_multipart_upload_empty"><failure>f</failure></testcase>' +
    '<testcase name="test_put_object_if_match"><system-out>o</system-out></testcase></testsuite></testsuites>'

  it('is read test by test', () => {
    expect(readReport(xml)).toEqual([
      { name: 'a', outcome: 'passed' },
      { name: 'b[x-1]', outcome: 'failed' },
      { name: 'c', outcome: 'skipped' },
      { name: 'multipart_upload_empty', outcome: 'failed' },
      { name: 'put_object_if_match', outcome: 'passed' },
    ])
  })

  it('is held against what is excluded', () => {
    expect(judge(readReport(xml))).toEqual({
      areas: [
        { area: 'buckets and objects', passed: 1, failed: ['b[x-1]'], excluded: 0 },
        { area: 'conditions', passed: 1, failed: [], excluded: 0 },
        { area: 'multipart', passed: 0, failed: [], excluded: 1 },
      ],
      needless: ['put_object_if_match'],
      skipped: ['c'],
    })
  })

  it('has every exclusion once, with a reason', () => {
    const names = exclusions.flatMap((one) => one.names)
    expect(new Set(names).size).toBe(names.length)
    for (const { reason } of exclusions) expect(reason).toMatch(/^[A-Z].{20,}\.$/)
  })
})
