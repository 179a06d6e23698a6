import { SeededRandom } from '@pintle/async';
import { Draw } from './draw.ts';
import { certificateSubjects } from './families/certificate-subjects.ts';
import { growth } from './families/growth.ts';
import { headerOrder } from './families/header-order.ts';
import { longTexts } from './families/long-texts.ts';
import { prototypeWords } from './families/prototype-words.ts';
import { randomRequests } from './families/random-requests.ts';
import { rawBytes } from './families/raw-bytes.ts';
import { unreadAnswers } from './families/unread-answers.ts';
import { unreadPipelines } from './families/unread-pipelines.ts';
import type { AttackFamily, Outcome } from './family.ts';
import { storeViolations } from './stored-objects.ts';
import type { ServerReport } from './target.ts';
import { Target } from './target.ts';

export const FAMILIES: readonly AttackFamily[] = [
  randomRequests,
  rawBytes,
  headerOrder,
  certificateSubjects,
  prototypeWords,
  unreadAnswers,
  unreadPipelines,
  growth,
  longTexts,
];

const WORKERS = 12;

export interface CampaignOptions {
  readonly seed: number;
  /** Requests to send, or a few more. */
  readonly count: number;
  /** Default: all. */
  readonly families?: readonly AttackFamily[];
  readonly onProgress?: (sent: number) => void;
}

export interface FamilyResult {
  sent: number;
  readonly statuses: Map<number, number>;
  /** By what was wrong; one sample of each. */
  readonly complaints: Map<string, { times: number; readonly sample: string }>;
}

export interface CampaignResult {
  readonly seed: number;
  readonly sent: number;
  readonly families: ReadonlyMap<string, FamilyResult>;
  readonly errors: ReadonlyMap<string, number>;
  readonly server: ServerReport;
  /** How it ended when it was told to stop. */
  readonly exit: number | string;
  /** Keys and objects that should not be in the store. */
  readonly violations: readonly string[];
}

/** Attacks a plain `pintle up` with requests made from the seed. Throws when the server dies. */
export async function runCampaign({
  seed,
  count,
  families = FAMILIES,
  onProgress,
}: CampaignOptions): Promise<CampaignResult> {
  await using target = await Target.open();
  for (const family of families) await family.prepare?.(target);
  target.begin();
  const results = new Map(families.map(({ name }) => [name, emptyResult()]));
  const random = new SeededRandom(seed);
  let sent = 0;
  let attacks = 0;
  const work = async (): Promise<void> => {
    while (sent < count) {
      const attack = attacks++;
      const draw = new Draw(random.fork(String(attack)));
      // Each family once, so that a short campaign has them all.
      const family = families[attack] ?? drawFamily(draw, families);
      const outcomes = await family.attack(draw, target);
      for (const outcome of outcomes) record(results.get(family.name)!, outcome);
      const before = sent;
      sent += outcomes.length;
      if (Math.floor(sent / 1_000) > Math.floor(before / 1_000)) onProgress?.(sent);
    }
  };
  const died = target.died.catch((error: Error) => {
    throw new Error(`${error.message} after ${sent} requests (seed ${seed})`);
  });
  await Promise.race([Promise.all(Array.from({ length: WORKERS }, work)), died]);
  const server = await target.report();
  const exit = await target.stop();
  const violations = await storeViolations(target.storeFolder);
  return { seed, sent, families: results, errors: target.errors, server, exit, violations };
}

function emptyResult(): FamilyResult {
  return { sent: 0, statuses: new Map(), complaints: new Map() };
}

function drawFamily(draw: Draw, families: readonly AttackFamily[]): AttackFamily {
  const total = families.reduce((sum, { weight }) => sum + weight, 0);
  let left = draw.fraction() * total;
  for (const family of families) {
    left -= family.weight;
    if (left < 0) return family;
  }
  return families[0]!;
}

function record(result: FamilyResult, { status, complaint, sample = '' }: Outcome): void {
  result.sent++;
  result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
  if (complaint === undefined) return;
  const known = result.complaints.get(complaint);
  if (known === undefined) result.complaints.set(complaint, { times: 1, sample });
  else known.times++;
}
