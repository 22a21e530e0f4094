import { ReportScreen } from '../reports/screen';
import { Steps } from './steps';

export function Funnel() {
  return <ReportScreen name="funnel" above={({ steps }) => (steps ? <Steps steps={steps} /> : null)} />;
}
