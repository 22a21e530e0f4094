import { Navigate, useLocation, useParams } from '../../../kit/router/router';
import { ReportScreen } from './screen';

export function ReportPage() {
  const { name = '' } = useParams();
  const { search } = useLocation();
  // The funnel has a screen of its own.
  if (name === 'funnel') return <Navigate to={`/analytics/funnel${search}`} replace />;
  return <ReportScreen key={name} name={name} />;
}
