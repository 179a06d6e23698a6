import { type Manager, OperatorError } from '@pintle/operator';

/** True when a reconcile ended before a call that it began: an `await` is missing. */
export function isNotAwaited(error: unknown): error is OperatorError {
  return error instanceof OperatorError && error.failure.code === 'NotAwaited';
}

/** Tells of each reconcile of the manager that does not await what it began. */
export function reportUnawaited(manager: Manager, report: (error: OperatorError) => void): void {
  const observe = manager.observe.bind(manager);
  manager.observe = (options) => {
    const base = observe(options);
    return {
      ...base,
      finished: (request, end) => {
        base.finished?.(request, end);
        if (isNotAwaited(end.error)) report(end.error);
      },
    };
  };
}
